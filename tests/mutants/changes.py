"""The small changes that can be made to a module, found in its syntax tree.

Outside texts, types, logs and checks of the programmer: a change there is seen by nobody or by mypy.
"""

import ast
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
LOGS = ("_log", "logging", "warnings")


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        line: in the module.
        number: of the place in the module's `places`.
        text: the old and the new code.
    """

    line: int
    number: int
    text: str


class _Places(ast.NodeVisitor):
    """The nodes that can be changed, in a fixed order."""

    def __init__(self) -> None:
        self.found: list[ast.AST] = []

    def visit(self, node: ast.AST) -> None:
        if _is_passed_over(node):
            return
        if _change(node, make=False):
            self.found.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)


def changes(source: str) -> list[Change]:
    """All changes that can be made to a module."""
    return [
        Change(getattr(node, "lineno", 0), number, _change(node, make=False))
        for number, node in enumerate(_places(ast.parse(source)))
    ]


def changed_tree(source: str, change: Change) -> ast.Module:
    """The syntax tree of the module with this change; every line keeps its number."""
    tree = ast.parse(source)
    _change(_places(tree)[change.number], make=True)
    return ast.fix_missing_locations(tree)


def changed(source: str, change: Change) -> str:
    """The module with this change; comments and the layout are lost."""
    return ast.unparse(changed_tree(source, change))


def statement(source: str, line: int) -> tuple[int, int]:
    """The first and last line of the innermost statement at a line, without the block that it may have."""
    first = last = line
    for node in ast.walk(ast.parse(source)):
        # Outer statements come first.
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            body = getattr(node, "body", None)
            first, last = (
                node.lineno,
                max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or line,
            )
    return first, max(last, line)


def _places(tree: ast.AST) -> list[ast.AST]:
    places = _Places()
    places.visit(tree)
    return places.found


def _is_passed_over(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Raise() | ast.JoinedStr():
            return True
        case ast.keyword(arg="strict"):
            return True  # of zip: a check of the programmer
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in LOGS:
            return True
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
    return False


def _change(node: ast.AST, *, make: bool) -> str:
    """The possible change at this node, empty for none; makes it if asked to."""
    match node:
        case ast.Compare(ops=[op, *others]) if type(op) in COMPARISONS:
            other = COMPARISONS[type(op)]
            if make:
                node.ops = [other(), *others]
            return f"{type(op).__name__} for {other.__name__}"
        case ast.BoolOp(op=op):
            swapped = ast.Or if isinstance(op, ast.And) else ast.And
            if make:
                node.op = swapped()
            return f"{type(op).__name__} for {swapped.__name__}"
        case ast.BinOp(op=op) if type(op) in SUMS and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            sum_ = SUMS[type(op)]
            if make:
                node.op = sum_()
            return f"{type(op).__name__} for {sum_.__name__}"
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare | ast.BoolOp):
            if make:
                node.test = ast.UnaryOp(ast.Not(), test)
            return f"not {ast.unparse(test)}"
        case ast.Constant(value=bool(value)):
            if make:
                node.value = not value
            return f"{value} for {not value}"
        case ast.Constant(value=int(value)):
            if make:
                node.value = value + 1
            return f"{value} for {value + 1}"
        case ast.Expr(value=ast.Call() as call) if not _is_passed_over(call):
            if make:
                node.value = ast.Constant(None)
            return f"without {ast.unparse(call)[:60]}"
        case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _]):
            return ""  # the same in either order
        case ast.Call(args=[first, second, *rest]) if not isinstance(first, ast.Starred):
            if make and not isinstance(second, ast.Starred):
                node.args = [second, first, *rest]
            swap = "" if isinstance(second, ast.Starred) else f"arguments of {ast.unparse(node)[:60]} swapped"
            return swap if ast.unparse(first) != ast.unparse(second) else ""
    return _of_a_branch(node, make=make)


def _of_a_branch(node: ast.AST, *, make: bool) -> str:
    """A `continue` for a `break` and the other way round, in the block that has it."""
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[-1], ast.Continue | ast.Break):
            other = ast.Break if isinstance(block[-1], ast.Continue) else ast.Continue
            if make:
                block[-1] = other()
            return f"{other.__name__} at the end of the branch"
    return ""

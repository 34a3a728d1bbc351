// Asks every 2 s whether there is news, and replaces the parts that have changed.

const EVERY_MS = 2000;
let latest = ""; // the tag of what is shown

async function look() {
  try {
    const answer = await fetch("./", { headers: latest ? { "If-None-Match": latest } : {} });
    document.body.classList.remove("away");
    if (answer.status !== 304) {
      show(await answer.text());
      latest = answer.headers.get("ETag") || "";
    }
  } catch {
    document.body.classList.add("away"); // the scores may be out of date
  }
  setTimeout(look, EVERY_MS);
}

function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const [main, shown] = [page.querySelector("main"), document.querySelector("main")];
  if (!main) {
    throw new Error("no page");
  }
  const rules = (from) => from.querySelector("header")?.innerHTML;
  if (page.documentElement.lang !== document.documentElement.lang || rules(page) !== rules(document)) {
    location.reload(); // another language, or another game's rules
  } else if (main.innerHTML !== shown.innerHTML) {
    shown.replaceWith(document.adoptNode(main));
  }
}

const rules = document.querySelector("header a");
if (location.hash === "#rules" && rules) {
  location.replace(rules.href);
} else {
  setTimeout(look, EVERY_MS);
}

// The memory of the box: a folder of files that the browser keeps.
//
// The files are in the worker's memory, where SQLite reads and writes them. What was written goes to the
// browser's database page by page, all of it in one transaction, so that what is kept is always one moment of
// all files. Where the browser refuses, so do the files: the box then meets the error of a full disk.
//
// What could not be read is never written over: the box then has no memory until the next visit. Files that were
// read but are not whole are given to the box as they are: it looks for damage itself, and sets aside.

import { done } from "./lock.js";

const PAGE = 4096; // bytes
const NO_SPACE = 51; // Emscripten's ENOSPC
const TOO_LARGE = 22; // EFBIG, which a limit of the kernel gives
const SHARED = /-shm$/; // SQLite's own, made again at every start

// Mounts the folder with the files that the database has.
//   database: as `browserDatabase` gives it; null where the browser has none for us.
export async function openMemory(files, folder, database) {
  let touched = new Map(); // path -> numbers of pages, or null for the whole file
  let failing = database === null;
  let limit = -1;
  let saving = null;

  const pathOf = (node) => files.getPath(node).slice(folder.length + 1);

  function refuse(node, end) {
    if (SHARED.test(node.name)) {
      return;
    }
    if (failing) {
      save(); // so that it is found out when there is room again
      throw new files.ErrnoError(NO_SPACE);
    }
    if (limit >= 0 && end > limit) {
      throw new files.ErrnoError(TOO_LARGE);
    }
  }

  function touch(node, first, last) {
    const path = pathOf(node);
    if (SHARED.test(path) || files.isDir(node.mode)) {
      return;
    }
    const pages = touched.get(path);
    if (first === undefined || pages === null) {
      touched.set(path, null);
      return;
    }
    const all = pages ?? new Set();
    for (let page = first; page <= last; page += 1) {
      all.add(page);
    }
    touched.set(path, all);
  }

  // What changes a file or a name in it is told here, too.
  function watch(node) {
    const ops = node.node_ops;
    node.node_ops = {
      ...ops,
      setattr(changed, attributes) {
        if (attributes.size !== undefined) {
          refuse(changed, attributes.size);
        }
        ops.setattr(changed, attributes);
        if (attributes.size !== undefined) {
          touch(changed);
        }
      },
      mknod(parent, name, mode, device) {
        const made = ops.mknod(parent, name, mode, device);
        watch(made);
        touch(made);
        return made;
      },
      rename(moved, to, name) {
        touch(moved);
        ops.rename(moved, to, name);
        touch({ name, parent: to, mode: moved.mode, mount: to.mount });
      },
      unlink(parent, name) {
        touch(parent.contents[name]);
        ops.unlink(parent, name);
      },
    };
    if (!files.isFile(node.mode)) {
      return;
    }
    const stream = node.stream_ops;
    node.stream_ops = {
      ...stream,
      write(open, buffer, offset, length, position, canOwn) {
        refuse(open.node, position + length);
        const written = stream.write(open, buffer, offset, length, position, canOwn);
        if (written) {
          touch(open.node, Math.floor(position / PAGE), Math.floor((position + written - 1) / PAGE));
        }
        return written;
      },
    };
  }

  function changeOf([path, numbers]) {
    const node = files.analyzePath(`${folder}/${path}`).object;
    if (!node) {
      return { path, anew: true };
    }
    const content = node.contents.subarray(0, node.usedBytes);
    const all = numbers ?? Array.from({ length: Math.ceil(content.length / PAGE) }, (_, page) => page);
    const pages = [...all].map((page) => [page, content.slice(page * PAGE, (page + 1) * PAGE)]);
    return { path, anew: numbers === null, size: content.length, pages };
  }

  // Resolves when all that was written up to now is kept, or the browser has refused it.
  function save() {
    saving ??= saveAll().finally(() => (saving = null));
    return saving;
  }

  async function saveAll() {
    while (touched.size && database) {
      const taken = touched;
      touched = new Map();
      try {
        await database.write([...taken].map(changeOf));
        failing = false;
      } catch {
        for (const [path, pages] of touched) {
          const both = taken.get(path);
          taken.set(path, both && pages ? new Set([...both, ...pages]) : both === undefined ? pages : null);
        }
        touched = taken;
        failing = true;
        return;
      }
    }
  }

  files.mkdirTree(folder);
  files.mount(files.filesystems.MEMFS, {}, folder);
  watch(files.lookupPath(folder).node);
  let isUnreadable = false;
  if (database !== null) {
    try {
      for (const [path, content] of (await database.read()).map(contentOf)) {
        files.mkdirTree(`${folder}/${path.split("/").slice(0, -1).join("/")}`);
        files.writeFile(`${folder}/${path}`, content);
      }
    } catch {
      [isUnreadable, failing, database] = [true, true, null];
    }
    touched.clear();
  }
  return {
    save,
    isUnreadable,
    // The worker's limit of the length of files, as Python's module `resource` has it.
    resource: {
      RLIMIT_FSIZE: 1,
      getrlimit: () => [limit, -1],
      setrlimit: (_, limits) => {
        limit = limits.get(0);
      },
    },
  };
}

// A file as it was written. One whose size is lost is as long as its pages.
function contentOf({ path, size, pages }) {
  const end = size ?? pages.reduce((most, [page, bytes]) => Math.max(most, page * PAGE + bytes.length), 0);
  const content = new Uint8Array(end);
  for (const [page, bytes] of pages) {
    if (page * PAGE < end) {
      content.set(bytes.subarray(0, end - page * PAGE), page * PAGE);
    }
  }
  return [path, content];
}

// One box's part of the browser's database; null where the browser forbids it. The tab that has taken it last may
// write. A write of another tab is refused, in the same transaction, however late it comes.
//   lost(): called when a write was refused because of that.
//   tab: what this tab is called there.
//   take(may): takes it, if this function of the tab that has it, or undefined, says so. Gives null, or that tab.
//   read(): all files, each with its size and its pages by number; once it is taken.
//   write(changes): all of them, or none; a file without a size is gone.
export async function browserDatabase(name, box, lost) {
  let database = null;
  try {
    const request = indexedDB.open(name, 2);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("pages");
      request.result.createObjectStore("owners");
    };
    database = await done(request);
  } catch {
    return null;
  }
  const tab = `${Date.now()} ${Math.random()}`;
  let expected = null; // the tabs that a write may find there

  function begin(mode, options) {
    const transaction = database.transaction(["owners", "pages"], mode, options);
    return [transaction, transaction.objectStore("owners"), transaction.objectStore("pages")];
  }

  return {
    tab,
    async take(may) {
      const [transaction, owners] = begin("readwrite");
      let owner;
      owners.get(box).onsuccess = ({ target }) => {
        owner = target.result;
        if (may(owner)) {
          expected = [tab, owner];
          owners.put(tab, box);
        }
      };
      try {
        await done(transaction, "oncomplete");
      } catch (error) {
        if (!expected) {
          throw error;
        }
        // A storage that is full: the first write that it accepts takes the box, unless another tab has.
      }
      return expected ? null : owner;
    },
    async read() {
      if (!expected) {
        throw new Error("not taken");
      }
      const [, , pages] = begin("readonly");
      const range = IDBKeyRange.bound([`${box}/`], [`${box}0`], false, true); // "0" comes after "/"
      const [keys, values] = await Promise.all([done(pages.getAllKeys(range)), done(pages.getAll(range))]);
      const found = new Map();
      keys.forEach(([key, page], index) => {
        const path = key.slice(box.length + 1);
        const file = found.get(path) ?? { path, pages: [] };
        found.set(path, file);
        if (page < 0) {
          file.size = values[index];
        } else {
          file.pages.push([page, values[index]]);
        }
      });
      return [...found.values()];
    },
    async write(changes) {
      // "strict": the disk has it. A crash of the browser loses nothing that was shown.
      const [transaction, owners, pages] = begin("readwrite", { durability: "strict" });
      owners.get(box).onsuccess = ({ target }) => {
        if (!expected.includes(target.result)) {
          transaction.abort();
          lost();
        }
      };
      owners.put(tab, box);
      for (const { path, anew, size, pages: written = [] } of changes) {
        const key = `${box}/${path}`;
        if (anew) {
          pages.delete(IDBKeyRange.bound([key], [key, []]));
        }
        if (size !== undefined) {
          pages.put(size, [key, -1]);
        }
        for (const [page, bytes] of written) {
          pages.put(bytes, [key, page]);
        }
      }
      await done(transaction, "oncomplete");
      expected = [tab];
    },
  };
}

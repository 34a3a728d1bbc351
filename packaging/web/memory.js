// The memory of the box: a folder of files that the browser keeps.
//
// The files are in the worker's memory, where SQLite reads and writes them. What was written goes to the
// browser's database page by page, all of it in one transaction, so that what is kept is always one moment of
// all files. Where the browser refuses, so do the files: the box then meets the error of a full disk.

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
  if (database !== null) {
    let kept = [];
    try {
      kept = await database.read();
    } catch {
      failing = true;
    }
    const wasFailing = failing;
    failing = false;
    for (const { path, size, pages } of kept) {
      const content = new Uint8Array(size);
      for (const [page, bytes] of pages) {
        if (page * PAGE < size) {
          content.set(bytes.subarray(0, size - page * PAGE), page * PAGE);
        }
      }
      files.mkdirTree(`${folder}/${path.split("/").slice(0, -1).join("/")}`);
      files.writeFile(`${folder}/${path}`, content);
    }
    touched.clear();
    failing = wasFailing;
  }
  return {
    save,
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

const done = (request, event = "onsuccess") =>
  new Promise((resolve, reject) => {
    request[event] = () => resolve(request.result);
    request.onerror = request.onabort = request.onblocked = () => reject(request.error);
  });

// The browser's database; null where it is forbidden.
//   read(): all files, each with its size and its pages by number.
//   write(changes): all of them, or none; a file without a size is gone.
export async function browserDatabase(name) {
  let database = null;
  try {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.result.createObjectStore("pages");
    database = await done(request);
  } catch {
    return null;
  }
  return {
    async read() {
      const pages = database.transaction("pages").objectStore("pages");
      const [keys, values] = await Promise.all([done(pages.getAllKeys()), done(pages.getAll())]);
      const found = new Map();
      keys.forEach(([path, page], index) => {
        if (page < 0) {
          found.set(path, { path, size: values[index], pages: [] });
        } else {
          found.get(path).pages.push([page, values[index]]);
        }
      });
      return [...found.values()];
    },
    write(changes) {
      // "strict": the disk has it. A crash of the browser loses nothing that was shown.
      const transaction = database.transaction("pages", "readwrite", { durability: "strict" });
      const kept = transaction.objectStore("pages");
      for (const { path, anew, size, pages = [] } of changes) {
        if (anew) {
          kept.delete(IDBKeyRange.bound([path], [path, []]));
        }
        if (size !== undefined) {
          kept.put(size, [path, -1]);
        }
        for (const [page, bytes] of pages) {
          kept.put(bytes, [path, page]);
        }
      }
      return done(transaction, "oncomplete");
    },
  };
}

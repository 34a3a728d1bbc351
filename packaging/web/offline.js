// Keeps all files of the folder, so that the box can be played without a network.

const NAME = "shutthebox-";
const KEPT = NAME + "$version " + self.registration.scope;
const FILES = $files;

// From the server: what the browser has kept of an earlier version may still count as new there.
const fresh = (path) => new Request(path, { cache: "reload" });

// Of the caches of this address those that have our page: there may be other boxes, and other programs.
// Opens none: that would make one anew that another box has just deleted.
async function isOlder(cacheName) {
  return cacheName.startsWith(NAME) && cacheName !== KEPT && Boolean(await caches.match("./", { cacheName }));
}

async function dropOlder() {
  for (const name of await caches.keys()) {
    if (await isOlder(name)) {
      await caches.delete(name);
    }
  }
}

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES.map(fresh))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOlder().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const kept = caches.open(KEPT).then((files) => files.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((file) => file ?? fetch(event.request)));
});

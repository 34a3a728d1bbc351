// Whether another tab is still there: a tab that plays has a database of its own open.
//
// A browser closes it with the tab, also when the tab crashes or is killed; only then can it be deleted. So
// nobody has to be awake to answer, and no clock is involved. (navigator.locks knows it too, but only with https.)

const PREFIX = "shutthebox tab ";

let held = null; // the browser closes a database to which nothing refers

// Says that this tab is there, for as long as its worker lives. A storage that is full may refuse that.
export async function hold(tab) {
  held = await done(indexedDB.open(PREFIX + tab)).catch(() => null);
}

// Resolves when that tab is gone, or the browser can't say.
//   waits(): called when it is known not to be.
export async function gone(tab, waits) {
  const request = indexedDB.deleteDatabase(PREFIX + tab);
  request.onblocked = waits;
  await done(request).catch(() => {});
}

// The result of a request, or the end of a transaction.
export const done = (request, event = "onsuccess") =>
  new Promise((resolve, reject) => {
    request[event] = () => resolve(request.result);
    request.onerror = request.onabort = () => reject(request.error);
  });

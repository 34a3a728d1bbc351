// Keeps a phone's screen on while a match is on. Browsers offer this on https and on the machine itself only.

let isWanted = false;
let lock = null;
let isAsking = false;

export function keepAwake(isPlaying) {
  isWanted = isPlaying;
  update();
}

async function update() {
  if (!isWanted) {
    lock?.release();
    lock = null;
  } else if (navigator.wakeLock && document.visibilityState === "visible" && !isAsking && (!lock || lock.released)) {
    isAsking = true;
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch {
      lock = null; // the battery is low, or its owner doesn't want it
    }
    isAsking = false;
    if (!isWanted) {
      update();
    }
  }
}

// A page that is hidden loses it.
document.addEventListener("visibilitychange", update);

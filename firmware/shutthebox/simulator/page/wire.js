// The way to the box. Only this module knows that it is a WebSocket: the page gets states from it and
// sends what hands do.

const RETRY_MS = [250, 500, 1000, 2000];

const ASLEEP_MS = 5000; // a telephone in a pocket loses its connection without a word

let socket = null;
let failures = 0;
let again = null;
let hiddenAt = 0;

// Connects, and connects again whenever the connection is lost.
//   show(state): the box has changed; the first state after a connection is complete, its type is "box".
//   opened(), lost(): the connection.
export function connect({ show, opened, lost }) {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/box`);
  socket.addEventListener("open", opened);
  socket.addEventListener("message", (event) => {
    failures = 0;
    show(JSON.parse(event.data));
  });
  socket.addEventListener("close", () => {
    lost();
    again = () => {
      clearTimeout(timer);
      again = null;
      connect({ show, opened, lost });
    };
    const timer = setTimeout(() => again?.(), RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    failures += 1;
  });
}

// A page that is seen again connects at once, and anew if it was away for long.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    hiddenAt = Date.now();
  } else if (again) {
    again();
  } else if (Date.now() - hiddenAt > ASLEEP_MS) {
    socket?.close();
  }
});
window.addEventListener("online", () => again?.());

// Sends what a hand does: {lever, down}, {button}, or a wish of the workshop; dropped without a connection.
export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(message));
  }
}

// Fetches the page again and again, and replaces the parts that have changed.

const EVERY_MS = 2000;

async function look() {
  try {
    const answer = await fetch("/", { cache: "no-store" });
    const latest = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [main, shown] = [latest.querySelector("main"), document.querySelector("main")];
    if (!answer.ok || !main) {
      throw new Error("no page");
    }
    document.body.classList.remove("away");
    if (latest.documentElement.lang !== document.documentElement.lang) {
      location.reload(); // another language: every word is another
    } else if (main.innerHTML !== shown.innerHTML) {
      shown.replaceWith(document.adoptNode(main));
    }
  } catch {
    document.body.classList.add("away"); // the scores may be out of date
  }
  setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);

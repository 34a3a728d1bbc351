// Asks every 2 s whether there is news, and replaces the parts that have changed. In the language of 2017, and
// with nothing newer: a television that can't read it would show the same scores for ever.

const EVERY_MS = 2000;
let latest = ""; // the tag of what is shown

async function look() {
  try {
    const answer = await fetch("./", { cache: "no-store", headers: latest ? { "If-None-Match": latest } : {} });
    document.body.classList.remove("away");
    if (answer.status !== 304) {
      show(await answer.text());
      latest = answer.headers.get("ETag") || "";
    }
  } catch (error) {
    document.body.classList.add("away"); // the scores may be out of date
  }
  setTimeout(look, EVERY_MS);
}

function rulesOf(page) {
  const header = page.querySelector("header");
  return header ? header.innerHTML : "";
}

function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const [main, shown] = [page.querySelector("main"), document.querySelector("main")];
  if (!main) {
    throw new Error("no page");
  }
  if (page.documentElement.lang !== document.documentElement.lang || rulesOf(page) !== rulesOf(document)) {
    location.reload(); // another language, or another game's rules
  } else if (main.innerHTML !== shown.innerHTML) {
    document.body.className = page.body.className;
    shown.parentNode.replaceChild(document.adoptNode(main), shown);
  }
}

const rules = document.querySelector("header a");
if (location.hash === "#rules" && rules) {
  location.replace(rules.href);
} else if (window.fetch) {
  window.isAsking = true; // or the page reloads itself: see page.py
  setTimeout(look, EVERY_MS);
}

// Says in one sentence that this browser is too old. In the oldest JavaScript, so that every browser reads it.

(function () {
  "use strict";
  var texts = JSON.parse(document.getElementById("loading-texts").textContent);
  var asked = /[?&]language=(\w+)/.exec(location.search);
  window.loadingTexts = texts[asked ? asked[1] : "en"] || texts.en;
  window.sayTooOld = function () {
    var notice = document.getElementById("notice");
    notice.textContent = window.loadingTexts.too_old;
    notice.hidden = false;
    notice.removeAttribute("hidden");
    document.getElementById("loading").style.display = "none";
  };
  // The page's modules have run before this, unless the browser does not understand them.
  window.addEventListener("load", function () {
    if (!window.isBoxStarting || typeof WebAssembly === "undefined") {
      window.sayTooOld();
    }
  });
})();

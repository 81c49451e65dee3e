// A SCORM 1.2 course as an authoring tool would make it: pages, three questions, a score; it goes on where it was.
(function () {
  var runtime = find(window);
  var pages = Array.prototype.slice.call(document.querySelectorAll("section"));
  var questions = pages.filter(function (page) { return page.dataset.question; });
  var began = Date.now();
  var here = 0;
  var answers = {};

  function find(from) {
    for (var at = from; at; at = at.parent === at ? null : at.parent) if (at.API) return at.API;
    return null;
  }

  function set(element, value) { if (runtime) runtime.LMSSetValue(element, String(value)); }
  function get(element) { return runtime ? runtime.LMSGetValue(element) : ""; }

  function spent() {
    var seconds = Math.floor((Date.now() - began) / 1000);
    var parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    return parts.map(function (part) { return (part < 10 ? "0" : "") + part; }).join(":");
  }

  function score() {
    var right = questions.filter(function (page) { return answers[page.dataset.question] === page.dataset.right; });
    return Math.round((right.length / questions.length) * 100);
  }

  function save() {
    set("cmi.core.lesson_location", here);
    set("cmi.suspend_data", JSON.stringify(answers));
    set("cmi.core.session_time", spent());
    if (runtime) runtime.LMSCommit("");
  }

  function tell(page, given) {
    var at = "cmi.interactions." + (get("cmi.interactions._count") || 0) + ".";
    set(at + "id", page.dataset.question);
    set(at + "type", "choice");
    set(at + "student_response", given);
    set(at + "correct_responses.0.pattern", page.dataset.right);
    set(at + "result", given === page.dataset.right ? "correct" : "wrong");
    set(at + "weighting", 1);
  }

  function end() {
    var points = score();
    var passed = points >= 70;
    document.getElementById("verdict").textContent = passed ? "Muito bem! Nota " + points : "Nota " + points;
    document.getElementById("advice").textContent = passed
      ? "Você concluiu este módulo. Pode voltar ao curso."
      : "A nota mínima é 70. Volte às perguntas e responda de novo.";
    set("cmi.core.score.min", 0);
    set("cmi.core.score.max", 100);
    set("cmi.core.score.raw", points);
    set("cmi.core.lesson_status", passed ? "passed" : "incomplete");
  }

  function show(number) {
    here = Math.max(0, Math.min(number, pages.length - 1));
    pages.forEach(function (page, place) { page.classList.toggle("here", place === here); });
    document.getElementById("count").textContent = "Página " + (here + 1) + " de " + pages.length;
    document.getElementById("back").disabled = here === 0;
    document.getElementById("next").hidden = here === pages.length - 1;
    if (here === pages.length - 1) end();
    allow();
    save();
  }

  function allow() {
    var page = pages[here];
    document.getElementById("next").disabled = Boolean(page.dataset.question) && !answers[page.dataset.question];
  }

  questions.forEach(function (page) {
    page.addEventListener("change", function (event) {
      answers[page.dataset.question] = event.target.value;
      allow();
    });
  });
  document.getElementById("back").addEventListener("click", function () { show(here - 1); });
  document.getElementById("next").addEventListener("click", function () {
    var page = pages[here];
    if (page.dataset.question) tell(page, answers[page.dataset.question]);
    show(here + 1);
  });
  window.addEventListener("pagehide", function () {
    set("cmi.core.exit", "suspend");
    set("cmi.core.session_time", spent());
    if (runtime) runtime.LMSFinish("");
    runtime = null;
  });

  if (runtime) {
    runtime.LMSInitialize("");
    try { answers = JSON.parse(get("cmi.suspend_data") || "{}"); } catch (error) { answers = {}; }
    questions.forEach(function (page) {
      var given = page.querySelector('[value="' + (answers[page.dataset.question] || "none") + '"]');
      if (given) given.checked = true;
    });
    if (get("cmi.core.lesson_status") === "not attempted") set("cmi.core.lesson_status", "incomplete");
  }
  show(Number(get("cmi.core.lesson_location")) || 0);
})();

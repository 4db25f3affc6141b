// The page: what is typed is asked, what is answered is shown, the address keeps both.
import { summary, VIEWS } from "./views.js";
import { curlLine, pythonLine } from "./lines.js";
import { element } from "./elements.js";

const find = (id) => document.getElementById(id);
const [modelBox, textBox, answerBox, trouble] = ["model", "text", "answer", "trouble"].map(find);
const WAIT = 150; // milliseconds after the last letter
const LEAST = 250; // milliseconds between two questions

const state = { models: [], model: null, token: "", input: null, tags: null, asking: false, again: false, timer: 0, last: 0, version: "" };

const headers = () => ({ "Content-Type": "application/json", ...(state.token ? { Authorization: `Bearer ${state.token}` } : {}) });

async function ask(path, question) {
  const options = { headers: headers(), credentials: "omit", cache: "no-store", redirect: "error" };
  if (question) Object.assign(options, { method: "POST", body: JSON.stringify(question) });
  const reply = await fetch(path, options);
  const value = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(value.error.message), { status: reply.status });
  return value;
}

function complain(text) {
  trouble.hidden = !text;
  trouble.textContent = text ?? "";
}

// ------------------------------------------------------------------ asking

const has = (question) => state.model.questions.includes(question);

function question() {
  return {
    ...(has("kbest") ? { kbest: 5 } : {}), ...(has("confidence") ? { confidence: true } : {}),
    ...(has("marginals") ? { marginals: true } : {}), ...(has("z_score") ? { z_score: true } : {}),
  };
}

async function update() {
  state.timer = 0;
  if (state.asking) { // one question at a time; the newest text is asked when the answer is there
    state.again = true;
    return;
  }
  remember();
  const text = textBox.value;
  const model = state.model;
  if (!model || !text.trim()) {
    complain("");
    answerBox.replaceChildren(element("p", { class: "note" }, model ? "Nothing is asked yet." : "There is no model."));
    state.input = null;
    return;
  }
  state.asking = true;
  state.last = performance.now();
  answerBox.setAttribute("aria-busy", "true");
  const path = `v1/models/${encodeURIComponent(model.name)}`;
  try {
    const found = await ask(`${path}/predict`, { text, ...question(), warnings: true });
    const told = await ask(`${path}/explain`, { text, drawing: true }).catch((error) => {
      if (error.status === 401) throw error;
      return null;
    });
    if (found.model.version !== state.version) await refresh(found.model);
    state.input = found.inputs[0];
    const [answer] = found.answers;
    complain((found.warnings ?? []).join(" "));
    const shown = VIEWS[model.kind]({ input: state.input, answer, explanation: told?.explanation, picture: told?.drawing, model: state.model });
    answerBox.replaceChildren(...shown.filter(Boolean));
    find("told").textContent = summary(model.kind, answer);
  } catch (error) {
    state.input = null;
    if (error.status === 401) wantToken();
    else complain(error.status ? error.message : "The server does not answer; is it still there?");
    answerBox.replaceChildren();
  } finally {
    state.asking = false;
    answerBox.removeAttribute("aria-busy");
    if (state.again) {
      state.again = false;
      later();
    }
  }
}

function later() {
  clearTimeout(state.timer);
  const wait = Math.max(WAIT, LEAST - (performance.now() - state.last));
  state.timer = setTimeout(update, wait);
}

// --------------------------------------------------------------- the address

function remember() {
  const facts = new URLSearchParams();
  if (state.model) facts.set("model", state.model.name);
  if (textBox.value) facts.set("text", textBox.value);
  history.replaceState(null, "", `#${facts}`);
}

function recall() {
  const facts = new URLSearchParams(location.hash.slice(1));
  const wanted = state.models.find((each) => each.name === facts.get("model"));
  choose(wanted ?? state.models[0]);
  textBox.value = facts.get("text") ?? "";
  update();
}

// --------------------------------------------------------------------- models

function choose(model) {
  state.model = model ?? null;
  if (!model) return;
  modelBox.value = model.name;
  state.version = model.version;
  find("hint").textContent = model.hint;
  const article = /^[AEIOU]/.test(model.estimator) ? "an" : "a";
  const labels = model.labels && model.kind !== "regress" ? ` of ${model.labels.length} labels` : "";
  const stale = model.stale ? "; a newer file could not be loaded" : "";
  find("about").textContent = `It ${model.task}: ${article} ${model.estimator}${labels}, version ${model.version}${stale}.`;
  document.title = `${model.name} · weft`;
  find("example").hidden = !model.example;
  find("version").textContent = `trained with weft ${model.library_version}`;
}

async function refresh(told) {
  const fresh = await ask(`v1/models/${encodeURIComponent(told.name)}`);
  state.models = state.models.map((each) => (each.name === fresh.name ? fresh : each));
  choose(fresh);
}

async function begin() {
  try {
    state.models = (await ask("v1/models")).models;
  } catch (error) {
    if (error.status === 401) wantToken();
    else complain(error.message);
    return;
  }
  find("token-form").hidden = true;
  modelBox.replaceChildren(...state.models.map((each) => element("option", { value: each.name }, `${each.name} (${each.kind})`)));
  complain("");
  recall();
}

function wantToken() {
  find("token-form").hidden = false;
  complain(state.token ? "This token is not the right one." : "");
  find("token").focus();
}

// ---------------------------------------------------------------------- events

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    find("copied").textContent = `${what} copied.`;
  } catch {
    const box = element("textarea", { class: "hidden", "aria-hidden": "true" });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    find("copied").textContent = done ? `${what} copied.` : text;
  }
}

const folder = () => location.href.split("#")[0].replace(/[^/]*$/, "");
const tags = () => (has("tags") && textBox.value.includes("\t") ? textBox.value.split("\t")[1].trim() : null);

function needInput(then) {
  if (state.input === null) find("copied").textContent = "There is nothing to copy yet; type something.";
  else then();
}

find("curl").addEventListener("click", () => needInput(() => {
  const asked = { inputs: [state.input], ...question(), ...(tags() ? { tags: [tags()] } : {}) };
  copy(curlLine(folder(), state.model, asked, Boolean(state.token)), "curl line");
}));
find("python").addEventListener("click", () => needInput(() => copy(pythonLine(state.model, state.input, tags()), "Python line")));
find("link").addEventListener("click", () => { remember(); copy(location.href, "Address"); });
find("example").addEventListener("click", () => { textBox.value = state.model.example; textBox.focus(); later(); });
find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = find("token").value.trim();
  find("token").value = "";
  begin();
});
textBox.addEventListener("input", later);
modelBox.addEventListener("change", () => {
  choose(state.models.find((each) => each.name === modelBox.value));
  update();
});
addEventListener("hashchange", () => { if (state.models.length) recall(); });

begin();

// The same question as a line for a shell and as a line of Python.

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlLine(address, model, question, hasToken) {
  const token = hasToken ? ` -H "Authorization: Bearer $WEFT_SERVE_TOKEN"` : "";
  return `curl -s ${quoted(`${address}v1/models/${model.name}/predict`)} -H 'Content-Type: application/json'${token} -d ${quoted(JSON.stringify(question))}`;
}

// JSON as Python writes it.
function literal(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`).join(", ")}}`;
  return JSON.stringify(value);
}

export function pythonLine(model, input, tags) {
  const isVectors = Array.isArray(input) && Array.isArray(input[0]) && typeof input[0][0] === "number";
  let shown = literal(input);
  if (model.kind === "align") shown = `(${input.map(literal).join(", ")})`;
  else if (input && input.arcs) shown = `weft.automata.Automaton.from_lattice(${literal(input)})`;
  else if (isVectors) shown = `numpy.array(${shown}, dtype=float)`;
  const more = tags ? `, tags=[${literal(tags)}]` : "";
  return `import weft${isVectors ? ", numpy" : ""}; print(weft.load(${JSON.stringify(`${model.name}.weft`)}).predict([${shown}]${more}))`;
}

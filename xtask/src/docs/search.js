// The search: sections that hold all words, those with the words in their headings first.
const field = document.getElementById("search");
const found = document.getElementById("found");
const MOST = 12;

function score([, , title, name, text], words) {
  const heading = (title + " " + name).toLowerCase();
  const body = text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const times = body.split(word).length - 1;
    if (heading.includes(word)) sum += 20;
    else if (times === 0) return 0;
    sum += Math.min(times, 5);
  }
  return sum;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  found.replaceChildren();
  if (words.length === 0) return;
  const hits = SECTIONS.map(section => [score(section, words), section]).filter(([points]) => points > 0);
  hits.sort((a, b) => b[0] - a[0]);
  for (const [, [file, id, title, name]] of hits.slice(0, MOST)) {
    const link = document.createElement("a");
    link.href = `${field.dataset.up}${file}#${id}`;
    link.textContent = name === title ? title : `${name} (${title})`;
    const item = document.createElement("li");
    item.append(link);
    found.append(item);
  }
  if (hits.length === 0) found.textContent = "nothing found";
}

field.addEventListener("input", search);
search();

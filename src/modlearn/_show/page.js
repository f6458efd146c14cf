"use strict";
// Draws the report from the JSON block of the page. Texts go in as text only, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { classes, rows: classRows, evaluation, variables, pairs, trees } = data;
  const MOST_COLORS = 8, MOST_COLUMNS = 30, MOST_PARTS = 60, FOLDED_PARTS = 12, FIRST_LINES = 30, MORE_LINES = 200;
  const PRINTED = { variables: 20, pairs: 8 };

  // Making elements

  const fill = (element, attributes, children) => {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (key.startsWith("--")) element.style.setProperty(key, value);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
  };
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // Writing numbers

  // Numbers are rounded as in Python, so that they are equal to those shown elsewhere: by their exact value, ties to even digits.
  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const count = (n) => whole.format(n);
  const fixed = (value, digits) => {
    const exact = value.toFixed(digits + 25), cut = exact.slice(0, -25);
    return exact.endsWith("5" + "0".repeat(24)) && "02468".includes(cut.slice(-1)) ? cut : value.toFixed(digits);
  };
  const decimals = (value, digits) => (value === null || value === undefined ? "–" : fixed(value, digits));
  const percent = (share) => {
    const text = fixed(100 * Number(fixed(share, 6)), 1);
    if (text === "0.0" && share > 0) return "<0.1%";
    return text === "100.0" && share < 1 ? ">99.9%" : text.replace(".0", "") + "%";
  };
  // A weight that is not 0 must not look like 0.
  const weightText = (weight) => (weight > 0 && weight < 0.005 ? "<0.01" : decimals(weight, 2));
  const plural = (n, noun) => count(n) + " " + noun + (n === 1 ? "" : "s");
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  // A name from right to left ends with a mark that must be kept, or the rest of the line would be reversed.
  const shorten = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" + (text.endsWith("\u2069") ? "\u2069" : "") : text);

  // Drawing what is visible, and everything before printing

  const pending = new Map();
  const drawNow = (element) => {
    const draw = pending.get(element);
    if (!draw) return;
    pending.delete(element);
    watcher.unobserve(element);
    element.replaceChildren(...[draw()].flat(Infinity).filter(Boolean));
    element.setAttribute("data-drawn", "");
  };
  const watcher = new IntersectionObserver(
    (entries) => entries.forEach((entry) => entry.isIntersecting && drawNow(entry.target)),
    { rootMargin: "300px" },
  );
  const lazy = (element, draw) => {
    pending.set(element, draw);
    watcher.observe(element);
    return element;
  };

  // Buttons that copy a table, or save it as CSV; numbers have all their digits

  const written = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const lines = (rows, separator, write) => rows.map((row) => row.map((cell) => write(cell === null || cell === undefined ? "" : String(cell))).join(separator)).join("\n") + "\n";
  const copied = async (text) => {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    const area = h("textarea", { class: "sr" }, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  const saved = (name, text) => {
    const link = h("a", { href: URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" })), download: name + ".csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const exports = (name, rows) => {
    const said = h("span", { role: "status" });
    const copy = () => copied(lines(rows(), "\t", (text) => text.replace(/\s/g, " "))).then(() => { said.textContent = "Copied."; }, () => { said.textContent = "The browser does not allow copying."; });
    const button = (text, title, onclick) => h("button", { type: "button", class: "small", title, onclick }, text);
    return h("div", { class: "exports" }, button("Copy", "Copy the table, to paste it into a spreadsheet", copy), button("CSV", "Save the table as a CSV file", () => saved(name, lines(rows(), ",", written))), said);
  };

  // Colors of classes: up to eight have one each; if there are more, the seven most frequent

  // The class of interest comes first; of more than two classes there is none.
  const first = (j) => j === data.positive;
  const inOrder = classes.map((_, j) => j).sort((a, b) => first(b) - first(a) || a - b);
  const byRows = [...inOrder].sort((a, b) => first(b) - first(a) || classRows[b] - classRows[a] || a - b);
  const many = classes.length > MOST_COLORS;
  const colored = many ? byRows.slice(0, MOST_COLORS - 1).sort((a, b) => a - b) : inOrder;
  const colorOf = new Map(colored.map((j, i) => [j, i]));
  const color = (j) => "c" + (colorOf.has(j) ? colorOf.get(j) : MOST_COLORS - 1);
  const shownClasses = classes.length > MOST_COLUMNS
    ? byRows.slice(0, MOST_COLUMNS).sort((a, b) => a - b) : inOrder;

  const segments = (counts) => {
    const found = colored.map((j) => ({ name: classes[j], color: color(j), rows: counts[j], first: first(j) }));
    const others = sum(counts) - sum(found.map((one) => one.rows));
    if (many) found.push({ name: "others", color: "c" + (MOST_COLORS - 1), rows: others });
    return found;
  };
  const countsText = (counts) => {
    const total = Math.max(1, sum(counts));
    return segments(counts).filter((one) => one.rows).map((one) => one.name + " " + count(one.rows) + " (" + percent(one.rows / total) + ")").join(", ");
  };
  const legend = (entries = segments(classRows)) => h("div", { class: "legend" }, entries.map((one) =>
    h("span", null, h("i", { class: one.color, "aria-hidden": "true" }), shorten(one.name, 40), one.note ? h("small", null, one.note) : null)));

  // A share is written into its part of the bar from ``room`` on, the share of the bar that a text takes.
  const stack = (counts, room) => {
    const total = sum(counts), bar = s("svg", { class: "stack", role: "img", "aria-label": total ? countsText(counts) : "no rows" }), texts = [];
    let x = 0, isOutside = false;
    for (const one of segments(counts)) {
      const share = total ? one.rows / total : 0;
      if (share) {
        bar.append(s("rect", { x: 100 * x + "%", width: 100 * share + "%", height: "100%", class: one.color },
          s("title", null, one.name + ": " + count(one.rows) + " of " + count(total) + " (" + percent(share) + ")")));
      }
      const text = { y: "50%", dy: ".35em", "pointer-events": "none" };
      if (room && share >= room && !(isOutside && narrow.matches)) texts.push(s("text", { ...text, x: 100 * (x + share / 2) + "%", "text-anchor": "middle", class: one.color === "c0" ? "on0" : null }, percent(share)));
      // The share of the class of interest stands next to its part of the bar if it does not fit in.
      else if (room && total && one.first) {
        isOutside = true;
        texts.push(s("text", { ...text, x: 100 * (x + share) + "%", dx: 4 }, percent(share)));
      }
      x += share;
    }
    bar.append(...texts);
    return bar;
  };
  const bar = (share, label) => s("svg", { class: "bar", role: "img", "aria-label": label },
    s("rect", { width: 100 * Math.max(0, Math.min(1, share)) + "%", height: "100%" }));

  // The head: the model next to its baselines, and the classes

  const charts = {};
  charts.verdict = () => {
    const accuracy = evaluation.measures.accuracy, best = evaluation.best_variable;
    const line = (name, share, kind, marks) => [
      h("span", { title: name }, name),
      s("svg", { role: "img", "aria-label": name + ": " + percent(share) },
        s("rect", { class: "track", width: "100%", height: 14, y: 3, rx: 3 }),
        s("rect", { class: kind, width: 100 * share + "%", height: 14, y: 3, rx: 3 }), marks || []),
      h("b", null, percent(share)),
    ];
    const top = evaluation.top_quarter && evaluation.top_quarter.leads ? [
      h("h4", null, "Share of all " + shorten(evaluation.top_quarter.class, 30) + " rows in a quarter of held-out rows"),
      h("div", { class: "against" }, line("Ranked highest", evaluation.top_quarter.share, "mine"), line("At random", 0.25, "other"))] : [];
    const folds = (accuracy.folds || []).filter((fold) => fold !== null);
    const dots = (folds.length > 1 ? folds : []).slice(0, 100).map((fold) => s("circle", { class: "dot", cx: 100 * fold + "%", cy: 10, r: 3 }, s("title", null, "one fold: " + percent(fold))));
    return [
      top,
      h("h4", null, "Accuracy on held-out rows", dots.length ? h("span", { class: "soft" }, " (dots: folds)") : null),
      h("div", { class: "against" },
        line("This model", accuracy.mean, "mine", dots),
        best ? line(best.name + " alone", best.accuracy, "other") : [],
        line("Always " + evaluation.majority.class, evaluation.majority.accuracy, "other")),
    ];
  };
  const columnsOf = (order) => {
    const most = classRows[order[0]] || 1, step = 100 / order.length;
    const written = order.every((j) => classes[j].length < 3) && order.length < 40;
    return s("svg", { class: "columns", role: "img", "aria-label": "rows per class, the most frequent first" }, order.map((j, i) => [
      s("svg", { x: i * step + "%", width: step + "%", height: 64 }, s("rect", { class: "c0", x: "8%", width: "84%", y: 64 - 64 * classRows[j] / most, height: 64 }, s("title", null, classes[j] + ": " + plural(classRows[j], "row")))),
      written ? s("text", { x: (i + 0.5) * step + "%", y: 78, "text-anchor": "middle" }, classes[j]) : null]));
  };
  charts.classes = () => {
    const total = sum(classRows);
    const rarest = byRows[byRows.length - 1];
    const facts = many
      ? "The most frequent is " + classes[byRows[0]] + " (" + percent(classRows[byRows[0]] / total) + "), the rarest " + classes[rarest] + " (" + plural(classRows[rarest], "row") + ")."
      : null;
    return [
      h("h4", null, plural(total, "labeled row") + " in " + count(classes.length) + (classes.length === 1 ? " class" : " classes")),
      many ? columnsOf(byRows.slice(0, 60)) : [stack(classRows, narrow.matches ? 0.2 : 0.12), legend(segments(classRows).map((one) => ({ ...one, note: count(one.rows) })))],
      facts && h("p", { class: "soft" }, facts),
    ];
  };

  // Curves

  const WIDTH = 400, HEIGHT = 330, LEFT = 58, RIGHT = 20, TOP = 10, BOTTOM = 42;
  const px = (x) => LEFT + x * (WIDTH - LEFT - RIGHT), py = (y) => HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM);
  const path = (points) => "M" + points.map(([x, y]) => px(x).toFixed(1) + " " + py(y).toFixed(1)).join("L");
  const frame = (label, across, up) => {
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    return s("svg", { class: "plot", viewBox: "0 0 " + WIDTH + " " + HEIGHT, role: "img", "aria-label": label },
      ticks.map((t) => [
        s("path", { class: "frame", d: path([[t, 0], [t, 1]]) + path([[0, t], [1, t]]) }),
        s("text", { x: px(t), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, 100 * t + "%"),
        s("text", { x: LEFT - 6, y: py(t) + 4, "text-anchor": "end" }, 100 * t + "%")]),
      s("text", { x: px(0.5), y: HEIGHT - 6, "text-anchor": "middle" }, across),
      s("text", { transform: "translate(11 " + py(0.5) + ") rotate(-90)", "text-anchor": "middle" }, up),
      s("path", { class: "guide", d: path([[0, 0], [1, 1]]) }));
  };
  // The values under the pointer, the finger, or the point chosen with the arrow keys, below the plot.
  const readout = (plot, lines, read) => {
    const hint = "Point at the plot, or choose it and use the arrow keys, to read values.";
    const text = h("p", { class: "readout soft", role: "status" }, hint), marks = lines.map(() => s("circle", { class: "mark-at", r: 4.5 }));
    const steps = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].sort((a, b) => a - b);
    // A curve may rise without going across: the highest of its nearest points is read.
    const nearest = (points, x) => points.reduce((best, point) => (Math.abs(point[0] - x) <= Math.abs(best[0] - x) ? point : best));
    let at = 0;
    const show = (x) => {
      at = steps.indexOf(nearest(steps.map((step) => [step]), x)[0]);
      const points = lines.map((line) => nearest(line.points, steps[at]));
      points.forEach(([px0, py0], k) => { marks[k].setAttribute("cx", px(px0)); marks[k].setAttribute("cy", py(py0)); });
      if (!marks[0].parentNode) plot.append(...marks);
      text.replaceChildren(...points.map((point, k) => h("span", null, read(point, lines[k]) + ".")));
    };
    const follow = (event) => {
      const box = plot.getBoundingClientRect();
      show(((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT));
    };
    const keys = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => steps.length - 1 };
    fill(plot, { tabindex: 0, onpointermove: follow, onpointerdown: follow, onkeydown: (event) => {
      if (!keys[event.key]) return;
      event.preventDefault();
      show(steps[Math.max(0, Math.min(steps.length - 1, keys[event.key]()))]);
    } }, []);
    return text;
  };
  let picked = null;
  const curves = evaluation && evaluation.curves || [];
  const aucName = evaluation && evaluation.n_folds > 1 ? "Pooled AUC" : "AUC";
  // Without a color for each class one curve stands out at a time.
  const crowded = curves.length > 0 && (many || curves.length > MOST_COLORS - 2);
  const curveChart = (key, label, across, up) => {
    if (!curves.length) return h("p", { class: "soft" }, "No curves: the test rows have a single class.");
    const plot = frame(label, across, up), auc = (curve) => (key === "roc" ? aucName + " " + decimals(curve.auc, 3) : "");
    const read = ([x, y], { name }) => name + ": " + (key === "roc" ? percent(y) + " of its rows are found, and " + percent(x) + " of the other rows are wrongly included" : "the " + percent(x) + " of rows ranked highest hold " + percent(y) + " of it" + (x ? ", " + decimals(y / x, 1) + " times as many as at random" : ""));
    const shown = crowded ? curves.filter((curve) => curve.class === picked) : curves;
    const ordered = crowded ? [...curves].sort((a, b) => (a.class === picked) - (b.class === picked)) : curves;
    for (const curve of ordered) {
      const kind = !crowded ? "curve " + color(curve.class) : curve.class === picked ? "curve pick" : "curve faint";
      plot.append(s("path", { class: kind, d: path(curve[key]) }, s("title", null, classes[curve.class] + " " + auc(curve))));
    }
    const pooled = key === "roc" && evaluation.n_folds > 1 ? h("p", { class: "soft" }, "Pooled: the curve and its AUC are those of the test rows of all folds together. The AUC at the top of the page is the mean of the folds.") : null;
    const decided = decisionMark(plot, key);
    return [plot, readout(plot, shown.map((curve) => ({ name: classes[curve.class], points: curve[key] })), read), crowded
      ? h("p", { class: "soft" }, "Bold line: " + classes[picked] + "; faint lines: the other classes.")
      : legend(curves.map((curve) => ({ name: classes[curve.class], color: color(curve.class), note: auc(curve) }))), decided, pooled];
  };
  // The decision, if there are two classes: a diamond at the rows that are predicted as the class of interest.
  const decisionMark = (plot, key) => {
    const j = data.decision ? data.decision.class : data.positive;
    if (classes.length !== 2 || j === null || j === undefined || curves[0].class !== j) return null;
    const hits = taken(j, j), found = hits / confusion.truth[j], share = confusion.predicted[j] / evaluation.n_test;
    const others = (confusion.predicted[j] - hits) / confusion.truth[1 - j], x = key === "roc" ? others : share;
    plot.append(s("path", { class: "decision", d: "M" + px(x) + " " + (py(found) - 7) + "l7 7l-7 7l-7 -7z" }));
    const least = data.decision ? data.decision.threshold : "50%";
    return h("p", { class: "soft" }, "◆ Decision: “" + shorten(classes[j], 40) + "” is predicted if its probability is at least " + least + ". " + (key === "roc"
      ? "This finds " + percent(found) + " of its rows and wrongly includes " + percent(others) + " of the other rows."
      : "This selects " + percent(share) + " of all rows and finds " + percent(found) + " of its rows."));
  };
  charts.roc = () => curveChart("roc", "ROC curves, one class against the rest", "false positive rate", "true positive rate");
  charts.lift = () => curveChart("lift", "Lift curves, one class against the rest", "share of rows", "share of the class found");
  charts.choice = () => {
    if (!crowded) return [];
    const worst = [...curves].sort((a, b) => a.auc - b.auc);
    picked = worst[0].class;
    const choose = h("select", { id: "class-choice", onchange: (event) => {
      picked = Number(event.target.value);
      for (const name of ["roc", "lift"]) {
        const element = document.querySelector('[data-chart="' + name + '"]');
        pending.set(element, charts[name]);
        drawNow(element);
      }
    } }, worst.map((curve) => h("option", { value: curve.class }, shorten(classes[curve.class], 40) + " · " + aucName + " " + decimals(curve.auc, 3))));
    return h("div", { class: "tools" }, h("label", { for: "class-choice" }, "Class of the curves"), choose, h("span", { class: "soft" }, "lowest AUC first"));
  };
  charts.calibration = () => {
    const bins = evaluation.calibration || [];
    if (!bins.length) return h("p", { class: "soft" }, "There are too few rows.");
    const of = data.positive === null || data.positive === undefined ? "the predicted class" : classes[data.positive];
    const plot = frame("Calibration", "probability of " + shorten(of, 30), "observed share");
    const most = Math.max(...bins.map((bin) => bin.rows));
    plot.append(s("path", { class: "curve c0", d: path(bins.map((bin) => [bin.predicted, bin.observed])) }));
    for (const bin of bins) {
      plot.append(s("circle", { class: "c0", cx: px(bin.predicted), cy: py(bin.observed), r: 2.5 + 6 * Math.sqrt(bin.rows / most), "fill-opacity": 0.75 },
        s("title", null, "predicted " + percent(bin.predicted) + ", observed " + percent(bin.observed) + ", " + plural(bin.rows, "row"))));
    }
    const lines = [{ points: bins.map((bin) => [bin.predicted, bin.observed, bin.rows]) }];
    const read = ([predicted, observed, rows]) => "Predicted " + percent(predicted) + ", observed " + percent(observed) + ", " + plural(rows, "row");
    return [plot, readout(plot, lines, read), h("p", { class: "soft" }, "Larger dots stand for more rows.")];
  };

  // Tables of shades

  const shade = (share, attributes, ...children) =>
    h("td", { ...attributes, "--a": Math.min(1, share).toFixed(3), class: [attributes.class, share > 0.55 ? "hot" : ""].filter(Boolean).join(" ") || null }, ...children);
  const turned = shownClasses.length > 8 && shownClasses.some((j) => classes[j].length > 3);
  const heading = (j) => h("th", { scope: "col", title: classes[j], class: turned ? "turn" : null }, h("span", null, shorten(classes[j], 24)));
  const heatTable = (headings, lines, kind) => h("table", { class: "heat" + (kind || "") + (headings.length > 9 ? " many" : "") }, h("thead", null, h("tr", null, headings)), h("tbody", null, lines));

  const confusion = evaluation && evaluation.confusion, cells = new Map(), mixed = [];
  for (let k = 0; confusion && k < confusion.cells.length; k += 3) {
    const [i, j, n] = confusion.cells.slice(k, k + 3);
    cells.set(i * classes.length + j, n);
    if (i !== j) mixed.push([n, i, j]);
  }
  const taken = (i, j) => cells.get(i * classes.length + j) || 0;
  charts.confusion = () => {
    const body = shownClasses.map((i) => {
      const total = Math.max(1, confusion.truth[i]);
      return h("tr", null, h("th", { scope: "row", title: classes[i] }, shorten(classes[i], 24)), shownClasses.map((j) => {
        const n = taken(i, j), title = classes[i] + " predicted as " + classes[j] + ": " + count(n) + " (" + percent(n / total) + ")";
        return shade(Math.pow(n / total, 0.7), { class: i === j ? "right" : null, title }, n ? count(n) : h("span", { class: "zero" }, shownClasses.length > 12 ? "" : "0"));
      }));
    });
    return [
      h("div", { class: "scroll" }, heatTable([h("td"), shownClasses.map(heading)].flat(), body, " confusion")),
      exports("confusion", () => [["true class", ...shownClasses.map((j) => "predicted as " + classes[j])], ...shownClasses.map((i) => [classes[i], ...shownClasses.map((j) => taken(i, j))])]),
      classes.length > shownClasses.length ? h("p", { class: "soft" }, "The " + MOST_COLUMNS + " most frequent of " + count(classes.length) + " classes.") : null,
    ];
  };
  charts.mixups = () => (!mixed.length ? h("p", { class: "soft" }, "None: every row was classified correctly.") : h("table", null,
    h("thead", null, h("tr", null, h("th", { class: "left", scope: "col" }, "True class"), h("th", { class: "left", scope: "col" }, "Predicted as"), h("th", { scope: "col" }, "Rows"), h("th", { scope: "col" }, "Share of the class"))),
    h("tbody", null, mixed.slice(0, 8).map(([n, i, j]) => h("tr", null, h("td", { class: "left" }, shorten(classes[i], 30)), h("td", { class: "left" }, shorten(classes[j], 30)), h("td", null, count(n)), h("td", null, percent(n / confusion.truth[i])))))));
  charts.byclass = () => {
    const auc = new Map(curves.map((curve) => [curve.class, curve.auc]));
    // With two classes both have the same AUC.
    if (classes.length === 2 && curves.length === 1) auc.set(1 - curves[0].class, curves[0].auc);
    const shares = (j) => [confusion.truth[j], confusion.predicted[j]].map((rows) => (rows ? taken(j, j) / rows : null));
    const line = (j) => {
      const truth = confusion.truth[j], [found, right] = shares(j);
      return h("tr", null, h("td", { class: "left" }, shorten(classes[j], 40)), h("td", null, count(truth)),
        h("td", null, found === null ? "–" : percent(found)), h("td", { class: "bars" }, found === null ? "" : bar(found, "recall " + percent(found))),
        h("td", null, right === null ? "–" : percent(right)), h("td", { class: "bars" }, right === null ? "" : bar(right, "precision " + percent(right))),
        h("td", null, auc.has(j) ? decimals(auc.get(j), 3) : "–"));
    };
    const head = h("thead", null, h("tr", null, h("th", { class: "left", scope: "col" }, "Class"), h("th", { scope: "col" }, "Rows"),
      h("th", { scope: "col", title: "share of the rows of this class that were predicted as it" }, "Recall"), h("th", { class: "bars" }),
      h("th", { scope: "col", title: "share of the rows predicted as this class that belong to it" }, "Precision"), h("th", { class: "bars" }), h("th", { scope: "col" }, aucName)));
    const body = h("tbody", null, byRows.slice(0, 10).map(line));
    const rest = byRows.slice(10);
    const more = rest.length ? h("button", { class: "button", type: "button", onclick: () => { body.append(...rest.map(line)); more.remove(); } }, "Show all " + count(byRows.length) + " classes") : null;
    return [h("table", null, head, body), more && h("div", { class: "more" }, more),
      exports("classes", () => [["class", "rows", "recall", "precision", aucName], ...byRows.map((j) => [classes[j], confusion.truth[j], ...shares(j), auc.get(j)])])];
  };

  // Parts of a variable

  const lined = (flat, width) => Array.from({ length: flat.length / width }, (_, i) => flat.slice(i * width, (i + 1) * width));

  const partsTable = (labels, counts, unlabeled) => {
    const total = Math.max(1, sum(counts.map(sum)));
    return h("table", { class: "parts" },
      h("thead", null, h("tr", null, h("th", { class: "left", scope: "col" }, "Part"), h("th", { class: "left", scope: "col" }, "Class shares"), h("th", { scope: "col" }, "Rows"), h("th", { class: "wide-only", scope: "col" }, "Share"), unlabeled && h("th", { class: "wide-only", scope: "col" }, "Unlabeled"))),
      folded(counts.map((line, i) => () => h("tr", null,
        h("td", { class: "left label", title: labels[i] }, wholeWords(labels[i])),
        h("td", { class: "chartcell" }, stack(line, narrow.matches ? 0.4 : 0.12)), h("td", null, count(sum(line))),
        h("td", { class: "wide-only" }, percent(sum(line) / total)), unlabeled && h("td", { class: "wide-only" }, count(unlabeled[i]))))));
  };
  // A short label is not broken over two lines, nor is a date or a number of a long one.
  const wholeWords = (text) => (text.length < 20 ? [text] : text.split(" ")).map((word) => [h("span", { class: word.length < 20 ? "whole" : null }, word), " "]);
  // Many parts are folded: the first ones, and a button for the others.
  const folded = (lines) => {
    const rest = lines.length > FOLDED_PARTS + 3 ? lines.slice(FOLDED_PARTS) : [];
    const body = h("tbody", null, lines.slice(0, lines.length - rest.length).map((line) => line()));
    const more = h("button", { type: "button", class: "button", onclick: () => { body.lastChild.remove(); body.append(...rest.map((line) => line())); } }, "Show all " + count(lines.length) + " parts");
    if (rest.length) body.append(h("tr", null, h("td", { class: "left", colspan: 9 }, more)));
    return body;
  };
  const partsHeat = (labels, counts) => {
    const shares = counts.slice(0, MOST_PARTS).map((line) => line.map((n) => n / Math.max(1, sum(line))));
    const most = shares.flat().reduce((a, b) => Math.max(a, b), 1e-9);
    return [
      h("p", { class: "soft" }, "Shade: share of the class within the part; the darkest is " + percent(most) + "."),
      h("div", { class: "scroll" }, heatTable(
        [h("td"), h("th", { scope: "col" }, "rows"), shownClasses.map(heading)].flat(),
        shares.map((line, i) => h("tr", null, h("th", { scope: "row", title: labels[i] }, shorten(labels[i], 32)), h("td", { class: "number" }, count(sum(counts[i]))), shownClasses.map((j) =>
          shade(line[j] / most, { title: labels[i] + ", " + classes[j] + ": " + count(counts[i][j]) + " (" + percent(line[j]) + ")" }, line[j] >= 0.095 ? (100 * line[j]).toFixed(0) : "")))))),
    ];
  };
  const numbersTable = (labels, counts) => {
    const holder = h("div", { class: "scroll" });
    const show = () => holder.childElementCount || holder.append(exports("parts", () => [["part", ...inOrder.map((j) => classes[j])], ...counts.map((line, i) => [labels[i], ...inOrder.map((j) => line[j])])]), h("table", null,
      h("thead", null, h("tr", null, h("th", { class: "left", scope: "col" }, "Part"), shownClasses.map((j) => h("th", { scope: "col" }, shorten(classes[j], 24))))),
      h("tbody", null, counts.slice(0, MOST_PARTS).map((line, i) => {
        const total = Math.max(1, sum(line));
        return h("tr", null, h("td", { class: "left" }, labels[i]), shownClasses.map((j) => h("td", null, count(line[j]), " ", h("small", null, percent(line[j] / total)))));
      }))));
    return h("details", { class: "values", ontoggle: show }, h("summary", null, "All counts and shares"), holder);
  };
  const groupValues = (labels, groups, sizes) => h("details", { class: "values" }, h("summary", null, "Values of the groups"),
    groups.map((group, i) => h("p", null, h("b", null, "Group " + (i + 1) + ": "), group.join(", "),
      sizes[i] > group.length ? h("span", { class: "soft" }, " … and " + count(sizes[i] - group.length) + " more") : null)));

  const fact = (name, ...value) => h("div", null, h("dt", null, name), h("dd", null, ...value));
  const variableFacts = (i, detail, parts) => {
    const v = variables;
    const missing = v.missing ? v.missing[i] : null, distinct = v.distinct ? v.distinct[i] : null;
    return h("dl", { class: "facts" },
      fact("Level", decimals(v.level[i], 3) + (v.level[i] ? "" : ": not informative about the target")),
      v.weight && fact("Weight in the model", weightText(v.weight[i]) + (v.importance ? ", importance " + percent(v.importance[i] || 0) : "")),
      v.weight && v.level[i] > 0 && !(v.weight[i] > 0) ? why(detail ? detail[5] : null) : null,
      fact("Parts", plural(parts, "part") + ", " + (v.proven[i] ? "proven optimal" : "best found")),
      fact("Cost", decimals(v.cost[i], 2) + " against " + decimals(v.null_cost[i], 2) + " for one part"),
      fact("Missing values", missing === null || missing === undefined ? "grouped with other values, not counted separately" : missing ? count(missing) : "none"),
      distinct === null || distinct === undefined ? null : fact("Distinct values", count(distinct)),
      v.bins && v.bins[i] ? fact("Counted in", count(v.bins[i]) + " bins, refined around the cuts") : null);
  };
  // A box with the variables or pairs that make up for one without weight: each with a link, if it has a line.
  const whyBox = (text, others) => h("div", { class: "why" }, h("dt", null, "Why the weight is 0"), h("dd", null, text,
    others.length ? h("ul", null, others.map(([go, name, reason]) => h("li", null,
      go ? h("button", { type: "button", class: "link", onclick: go }, shorten(name, 60)) : h("b", null, shorten(name, 80)), ": " + reason))) : null));
  const why = (reasons) => whyBox(
    reasons ? null : "It adds too little to the other variables. No single one is known to carry the same information" + (pairs.searched ? "." : "; no pairs were searched."),
    (reasons || []).map(([other, reason]) => typeof other === "number" ? [() => tables.variables.reveal(other), variables.name[other], reason] : [null, other, reason]));

  // What the parts of a variable or the cells of a pair add to the scores, with 95 % bands

  const BAND = 1.96, HISTOGRAM = 0.2;
  // Of two classes, the log odds of the class of interest; of more, a score for each that has a color.
  const interest = classes.length === 2 ? (data.positive === 1 || data.positive === null || data.positive === undefined ? 1 : 0) : null;
  const shapeClasses = interest === null ? colored : [interest];
  const shapeOf = (scores, deviations) => shapeClasses.map((j) => {
    const scale = interest === null ? 1 : 2;
    return { j, name: classes[j], color: color(j), y: scores.map((line) => scale * line[j]), d: deviations.map((line) => scale * BAND * line[j]) };
  });
  const whatScores = interest === null ? "score" : "log odds of " + shorten(classes[interest], 30);
  const withBand = (y, d) => signed(y, 2) + " ± " + decimals(d, 2);
  const scoreHint = (shapes, what) => h("p", { class: "soft" }, (interest === null ? "Score of each class, in nats: what the " + what + " adds to it" : "Log odds of “" + shorten(classes[interest], 30) + "”, in nats: what the " + what + " adds to them")
    + " beyond the mean of the training rows. Bands are 95% credible intervals." + (many ? " The " + shapes.length + " most frequent classes." : ""));
  const niceSteps = (low, high) => {
    const rough = (high - low) / 5, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough), found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
    return [found, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
  };
  const curvePlot = (name, labels, rows, shapes, bounds, ticks) => {
    const missing = labels.length - bounds.length + 1, from = missing ? 0.1 : 0, x = (at) => from + at * (1 - from);
    const low = Math.min(0, ...shapes.flatMap((one) => one.y.map((y, i) => y - one.d[i]))), high = Math.max(0, ...shapes.flatMap((one) => one.y.map((y, i) => y + one.d[i])));
    const size = Math.max(high - low, 1e-6), up = (y) => HISTOGRAM + 0.03 + (0.97 - HISTOGRAM) * (y - low) / size;
    const [steps, digits] = niceSteps(low, low + size), middle = (i) => (i < missing ? 0.035 : x((bounds[i - missing] + bounds[i - missing + 1]) / 2));
    const plot = s("svg", { class: "plot shape", viewBox: "0 0 " + WIDTH + " " + HEIGHT, role: "img", "aria-label": name + ": " + whatScores + " by value" },
      steps.map((y) => [s("path", { class: Math.abs(y) < 1e-9 ? "guide" : "frame", d: path([[0, up(y)], [1, up(y)]]) }), s("text", { x: LEFT - 6, y: py(up(y)) + 4, "text-anchor": "end" }, (y < -1e-9 ? "−" : "") + Math.abs(y).toFixed(digits))]),
      ticks.map(([at, text]) => [s("path", { class: "tick", d: "M" + px(x(at)) + " " + py(0) + "v4" }), s("text", { x: px(x(at)), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, shorten(text, 16))]),
      missing ? s("text", { x: px(0.035), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, "missing") : null,
      s("text", { x: px(0.5), y: HEIGHT - 6, "text-anchor": "middle" }, shorten(name, 50)),
      s("text", { transform: "translate(11 " + py(0.6) + ") rotate(-90)", "text-anchor": "middle" }, whatScores));
    const most = Math.max(...bounds.slice(1).map((to, i) => rows[i + missing] / (to - bounds[i])));
    const box = (a, b, height, title) => plot.append(s("rect", { class: "rows", x: px(a), width: Math.max(0, px(b) - px(a)), y: py(height), height: Math.max(0, py(0) - py(height)) }, s("title", null, title)));
    rows.forEach((n, i) => {
      const title = labels[i] + ": " + plural(n, "row");
      if (i < missing) return box(0.01, 0.06, HISTOGRAM * Math.min(1, n / Math.max(...rows)), title);
      box(x(bounds[i - missing]), x(bounds[i - missing + 1]), HISTOGRAM * n / (bounds[i - missing + 1] - bounds[i - missing]) / most, title);
    });
    for (const one of shapes) {
      const corners = (shift) => bounds.slice(1).flatMap((to, i) => [[x(bounds[i]), up(one.y[i + missing] + shift * one.d[i + missing])], [x(to), up(one.y[i + missing] + shift * one.d[i + missing])]]);
      plot.append(s("path", { class: "band " + one.color, d: path([...corners(1), ...corners(-1).reverse()]) + "Z" }));
    }
    shapes.forEach((one, k) => {
      plot.append(s("path", { class: "curve " + one.color, d: path(bounds.slice(1).flatMap((to, i) => [[x(bounds[i]), up(one.y[i + missing])], [x(to), up(one.y[i + missing])]])) }));
      if (!missing) return;
      const at = 0.035 + 0.012 * (k - (shapes.length - 1) / 2);
      plot.append(s("path", { class: "curve " + one.color, d: path([[at, up(one.y[0] - one.d[0])], [at, up(one.y[0] + one.d[0])]]) }), s("circle", { class: one.color, cx: px(at), cy: py(up(one.y[0])), r: 3 }));
    });
    const lines = shapes.map((one) => ({ ...one, points: labels.map((_, i) => [middle(i), up(one.y[i]), i]) }));
    const read = ([, , i], one) => (one.j === shapes[0].j ? labels[i] + " (" + plural(rows[i], "row") + "): " : "") + (interest === null ? one.name + " " : "") + withBand(one.y[i], one.d[i]);
    return [plot, readout(plot, lines, read)];
  };
  // Each label is a list of lines.
  const barTable = (heading, labels, rows, shapes) => {
    const low = Math.min(0, ...shapes.flatMap((one) => one.y.map((y, i) => y - one.d[i]))), high = Math.max(0, ...shapes.flatMap((one) => one.y.map((y, i) => y + one.d[i])));
    const at = (y) => 100 * (y - low) / Math.max(high - low, 1e-6) + "%", height = shapes.length > 1 ? 9 : 18;
    return h("table", { class: "parts" },
      h("thead", null, h("tr", null, h("th", { class: "left", scope: "col" }, heading), h("th", { class: "left", scope: "col" }, whatScores[0].toUpperCase() + whatScores.slice(1)), shapes.length > 1 ? null : h("th", { scope: "col" }, "nats"), h("th", { scope: "col" }, "Rows"))),
      folded(labels.map((label, i) => () => h("tr", null,
        h("td", { class: "left label", title: label.join(" ") }, label.map((line) => h("div", null, wholeWords(line)))),
        h("td", { class: "chartcell" }, s("svg", { class: "effects", height: height * shapes.length + 4, role: "img", "aria-label": shapes.map((one) => one.name + " " + withBand(one.y[i], one.d[i])).join(", ") },
          s("line", { class: "axis", x1: at(0), x2: at(0), y1: 0, y2: "100%" }),
          shapes.map((one, k) => {
            const [a, b] = [Math.min(0, one.y[i]), Math.max(0, one.y[i])], y = 2 + k * height;
            return s("g", null, s("title", null, one.name + " " + withBand(one.y[i], one.d[i])),
              s("svg", { x: at(a), y, width: 100 * (b - a) / Math.max(high - low, 1e-6) + "%", height: height - 2 }, s("rect", { class: one.color, width: "100%", height: "100%" })),
              s("line", { class: "whisker", x1: at(one.y[i] - one.d[i]), x2: at(one.y[i] + one.d[i]), y1: y + height / 2 - 1, y2: y + height / 2 - 1 }));
          }))),
        shapes.length > 1 ? null : h("td", { class: "whole" }, signed(shapes[0].y[i], 2), h("span", { class: "wide-only" }, " ± " + decimals(shapes[0].d[i], 2))), h("td", null, count(rows[i]))))));
  };
  const shapeChart = (i) => {
    const [labels, rows, scores, deviations, bounds, ticks] = variables.curves[i];
    const [lined1, lined2] = [lined(scores, classes.length), lined(deviations, classes.length)], shapes = shapeOf(lined1, lined2);
    const table = () => [["part", "rows", ...inOrder.flatMap((j) => ["score of " + classes[j], "deviation of " + classes[j]])], ...labels.map((label, k) => [label, rows[k], ...inOrder.flatMap((j) => [lined1[k][j], lined2[k][j]])])];
    return [scoreHint(shapes, "variable"), shapes.length > 1 ? legend(shapes.map((one) => ({ name: one.name, color: one.color }))) : null,
      bounds ? curvePlot(variables.name[i], labels, rows, shapes, bounds, ticks) : h("div", { class: "scroll" }, barTable("Category", labels.map((label) => [label]), rows, shapes)), exports("scores", table)];
  };

  const variableDetail = (i) => {
    const detail = variables.details[i];
    if (!detail) return h("div", { class: "inside" }, h("p", { class: "soft" }, "The parts of this variable are omitted to keep the page small; the JSON output has them."), variableFacts(i, null, variables.parts[i]));
    const labels = detail[0], counts = lined(detail[1], classes.length);
    const rest = labels.length - MOST_PARTS;
    const picture = h("div", { class: "chart" }), curve = variables.curves && variables.curves[i];
    lazy(picture, () => [
      curve ? [shapeChart(i), h("h4", { class: "second" }, "Optimal parts: what the variable says on its own")] : null,
      many ? [partsHeat(labels, counts), rest > 0 ? h("p", { class: "soft" }, "… and " + plural(rest, "more part") + ".") : null]
        : [legend(), h("div", { class: "scroll" }, partsTable(labels, counts, detail[2]))],
      numbersTable(labels, counts), detail[3] ? groupValues(labels, detail[3], detail[4]) : null]);
    return h("div", { class: "inside" + (many ? " wide" : "") }, picture, variableFacts(i, detail, labels.length));
  };

  // The grid of a pair

  const pairName = (name) => (typeof name === "number" ? variables.name[name] : name);
  // Why a pair has no weight: its columns, or other pairs with one of them, are already in the model.
  const whyPair = (i) => {
    const own = pairs.names[i].filter((name) => typeof name === "number" && variables.weight && variables.weight[name] > 0)
      .map((name) => [() => tables.variables.reveal(name), variables.name[name], "the model uses it on its own, with weight " + weightText(variables.weight[name])]);
    const shared = pairs.names.map((_, k) => k)
      .filter((k) => pairs.weight[k] > 0 && pairs.names[k].some((name) => pairs.names[i].includes(name))).slice(0, 3)
      .map((k) => [() => tables.pairs.reveal(k), pairNames[k], "the model uses this pair, with weight " + weightText(pairs.weight[k])]);
    return whyBox("Other variables of the model already carry this information, so the pair adds too little.", [...own, ...shared]);
  };
  const pairDetail = (i) => {
    const detail = pairs.details[i], [first, second] = pairs.names[i].map(pairName);
    const facts = h("dl", { class: "facts" },
      fact("Level", decimals(pairs.level[i], 3)), fact("Gain over the better variable", signed(pairs.gain[i], 3)),
      fact(kindOf(pairs.synergy[i]) === "redundancy" ? "Redundancy" : "Synergy", decimals(Math.abs(pairs.synergy[i]), 1) + " nats"),
      pairs.weight && fact("Weight in the model", weightText(pairs.weight[i])),
      pairs.weight && !(pairs.weight[i] > 0) ? whyPair(i) : null,
      fact("Cost", decimals(pairs.cost[i], 2) + " against " + decimals(pairs.null_cost[i], 2) + " for one cell"));
    if (!detail) return h("div", { class: "inside" }, h("p", { class: "soft" }, "The grid of this pair is omitted to keep the page small; the JSON output has it."), facts);
    const [down, across] = detail[0], cells = lined(detail[1], classes.length), scores = detail[2] && [2, 3].map((k) => lined(detail[k], classes.length));
    const holder = h("div", { class: "scroll" });
    const draw = () => holder.replaceChildren(choose.value[0] === "s" ? scoreTable(first, second, down, across, cells, scores, Number(choose.value.slice(1))) : gridTable(first, second, down, across, cells, Number(choose.value)));
    const choose = h("select", { "aria-label": "What the shade shows", onchange: draw },
      scores ? (interest === null ? shownClasses : [interest]).map((j) => h("option", { value: "s" + j }, (interest === null ? "score of " : "log odds of ") + shorten(classes[j], 40))) : null,
      h("option", { value: -1 }, "share of the most frequent class"), shownClasses.map((j) => h("option", { value: j }, "share of " + shorten(classes[j], 40))));
    const picture = h("div", { class: "chart" });
    lazy(picture, () => {
      draw();
      return [h("div", { class: "tools" }, h("label", null, "Shade:", choose)), scores ? h("p", { class: "soft" }, "Scores: what the pair adds beyond its two variables, in nats, and ± a 95% credible interval.") : null, many ? null : legend(), holder,
        exports("cells", () => [[first, second, ...inOrder.map((j) => classes[j])], ...cells.map((line, k) => [down[Math.floor(k / across.length)], across[k % across.length], ...inOrder.map((j) => line[j])])])];
    });
    return h("div", { class: "inside wide" }, picture, facts);
  };
  // The score of a class in each cell, in its color if it speaks for the class.
  const scoreTable = (first, second, down, across, cells, [scores, deviations], j) => {
    const scale = interest === null ? 1 : 2, other = interest === null ? MOST_COLORS - 1 : colorOf.get(1 - j);
    const most = scores.reduce((best, line) => Math.max(best, Math.abs(line[j])), 1e-9);
    return gridOf(first, second, down, across, (a, b) => {
      const k = a * across.length + b, y = scores[k][j], total = sum(cells[k]);
      return h("td", { title: down[a] + " × " + across[b] + ": " + countsText(cells[k]) },
        h("div", { class: "cell " + (y > 0 ? color(j) : "c" + other), "--a": (0.62 * Math.abs(y) / most).toFixed(3) }, h("b", null, signed(scale * y, 2)), " ± " + decimals(scale * BAND * deviations[k][j], 2), h("small", null, plural(total, "row"))));
    });
  };
  const gridTable = (first, second, down, across, cells, chosen) => {
    const cell = (a, b) => {
      const counts = cells[a * across.length + b], total = sum(counts);
      if (!total) return h("td", { class: "empty" }, h("div", { class: "cell" }, "no rows"));
      const j = chosen >= 0 ? chosen : counts.indexOf(Math.max(...counts)), share = counts[j] / total;
      return h("td", { title: down[a] + " × " + across[b] + ": " + countsText(counts) },
        h("div", { class: "cell " + (many ? "c0" : color(j)), "--a": (0.62 * share * share).toFixed(3) }, h("b", null, percent(share)), " " + shorten(classes[j], 18), h("small", null, plural(total, "row"))), stack(counts, null));
    };
    return gridOf(first, second, down, across, cell);
  };
  const gridOf = (first, second, down, across, cell) => {
    const rows = down.slice(0, MOST_PARTS), columns = across.slice(0, MOST_PARTS);
    return h("table", { class: "heat grid" },
      h("thead", null, h("tr", null, h("td"), h("th", { class: "axis", colspan: columns.length }, shorten(second, 60) + " →")),
        h("tr", null, h("th", { class: "axis" }, shorten(first, 30) + " ↓"), columns.map((label) => h("th", { scope: "col", title: label }, shorten(label, 28))))),
      h("tbody", null, rows.map((label, a) => h("tr", null, h("th", { scope: "row", class: "row", title: label }, shorten(label, 28)), columns.map((_, b) => cell(a, b))))));
  };
  const signed = (value, digits) => {
    const text = decimals(Math.abs(value), digits);
    return (Number(text) ? (value > 0 ? "+" : "−") : "") + text;
  };
  // A value too small to be shown is rounding error.
  const kindOf = (synergy) => (Math.abs(synergy) < 0.05 ? "" : synergy < 0 ? "redundancy" : "synergy");

  // Trees, from left to right: a box for each branch, and where a path ends the rows of its leaf

  const STEP = 215, BOX = 96, LINE = 36;
  const treePicture = ({ names, branches, letters }, counts) => {
    const drawn = [];
    let bottom = 0, deepest = 0;
    const layOut = (number, depth) => {
      const left = depth * STEP;
      deepest = Math.max(deepest, depth);
      if (number >= branches.length) {
        const y = (bottom++ + 0.5) * LINE, leaf = number - branches.length, total = Math.max(1, sum(counts[leaf]));
        let x = left;
        drawn.push(s("g", null, s("title", null, countsText(counts[leaf])), segments(counts[leaf]).map((one) => {
          const width = BOX * one.rows / total;
          x += width;
          return s("rect", { class: one.color, x: x - width, width, y: y - 9, height: 18 });
        }), s("text", { x: left + BOX + 8, y: y + 4 }, letters[leaf])));
        return y;
      }
      const [column, ways] = branches[number], ends = ways.map(([, to]) => layOut(to, depth + 1)), y = (ends[0] + ends[ends.length - 1]) / 2;
      ways.forEach(([label], k) => drawn.push(
        s("path", { class: "way", d: "M" + (left + BOX) + " " + y + "h10V" + ends[k] + "H" + (left + STEP) }),
        s("text", { class: "dim", x: left + BOX + 14, y: ends[k] - 5 }, shorten(label, 17), s("title", null, column + " in " + label))));
      drawn.push(s("rect", { class: "box", x: left, width: BOX, y: y - 12, height: 24, rx: 6 }),
        s("text", { x: left + BOX / 2, y: y + 4, "text-anchor": "middle" }, shorten(column, 13), s("title", null, column)));
      return y;
    };
    layOut(0, 0);
    const width = deepest * STEP + BOX + 30, height = bottom * LINE;
    return s("svg", { class: "tree", viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "tree of " + names.join(", ") }, drawn);
  };
  const leafTable = (labels, counts) => h("table", { class: "parts" },
    h("thead", null, h("tr", null, h("th", { class: "left", scope: "col" }, "Path"), h("th", { scope: "col" }, "Rows"))),
    h("tbody", null, labels.map((label, i) => h("tr", null, h("td", { class: "left label" }, label.map((line) => h("div", null, line))), h("td", null, count(sum(counts[i])))))));
  const treeCard = (tree) => {
    const [counts, ...scores] = tree.details.map((table) => lined(table, classes.length)), rows = counts.map(sum);
    const labels = tree.paths.map((paths, leaf) => paths.map((path, k) => (k ? "or " : tree.letters[leaf] + ": ") + path)), shapes = scores.length ? shapeOf(...scores) : [];
    return h("article", { class: "card" },
      h("h3", null, shorten(tree.names.join(" × "), 120)),
      h("p", { class: "soft" }, "Weight " + weightText(tree.weight) + ", level " + decimals(tree.level, 3) + ", synergy " + decimals(tree.synergy, 1) + " nats, " + plural(counts.length, "leaf").replace("leafs", "leaves")),
      many ? null : legend(), h("div", { class: "scroll" }, treePicture(tree, counts)),
      shapes.length ? scoreHint(shapes, "tree") : null,
      h("div", { class: "scroll paths" }, shapes.length ? barTable("Path", labels, rows, shapes) : leafTable(labels, counts)),
      exports("leaves", () => [["leaf", "path", ...inOrder.map((j) => classes[j])], ...counts.map((line, leaf) => [tree.letters[leaf], tree.paths[leaf].join(" or "), ...inOrder.map((j) => line[j])])]));
  };
  charts.trees = () => trees.map(treeCard);

  // Tables that are searched, sorted and opened

  const levelCell = (value) => h("div", { class: "level" }, bar(value, "level " + decimals(value, 3)), h("span", { class: value ? null : "zero" }, decimals(value, 3)));
  const weightCell = (weight) => h("span", { class: weight ? null : "zero" }, weightText(weight));
  const makeTable = (kind, columns, size, texts, detail, filters, total) => {
    const root = document.querySelector('[data-table="' + kind + '"]');
    if (!root) return null;
    const open = new Map();
    const span = () => (narrow.matches && !printing ? columns.filter((column) => !(column.class || "").includes("wide-only")).length : columns.length);
    const respan = () => open.forEach((inside) => inside.firstChild.setAttribute("colspan", span()));
    let order = Array.from({ length: size }, (_, i) => i), sorted = null, down = true, shown = 0;
    const lower = texts.map((text) => text.toLowerCase());
    const body = h("tbody"), status = h("span", { class: "soft", role: "status" }), more = h("div", { class: "more" });
    const search = h("input", { type: "search", placeholder: "Search " + kind, "aria-label": "Search " + kind, autocomplete: "off", spellcheck: "false", oninput: () => apply() });
    const filter = filters.length > 1 ? h("select", { "aria-label": "Which " + kind + " are shown", onchange: () => apply() }, filters.map(([name], k) => h("option", { value: k }, name))) : null;
    const heads = columns.map((column) => h("th", { scope: "col", class: column.class || null, title: column.title || null },
      column.sort ? h("button", { type: "button", onclick: () => sortBy(column) }, column.name) : column.name));

    const sortBy = (column) => {
      down = sorted === column ? !down : !column.ascending;
      sorted = column;
      columns.forEach((one, k) => one === column ? heads[k].setAttribute("aria-sort", down ? "descending" : "ascending") : heads[k].removeAttribute("aria-sort"));
      apply();
    };
    const compare = (a, b) => {
      const x = sorted.sort(a), y = sorted.sort(b);
      const found = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
      return (down ? -found : found) || a - b;
    };
    const apply = () => {
      const words = search.value.trim().toLowerCase(), keep = filter ? filters[Number(filter.value)][1] : () => true;
      order = [];
      for (let i = 0; i < size; i++) if ((!words || lower[i].includes(words)) && keep(i)) order.push(i);
      if (sorted) order.sort(compare);
      body.replaceChildren();
      shown = 0;
      grow(FIRST_LINES);
    };
    const grow = (by) => {
      const piece = document.createDocumentFragment(), until = Math.min(order.length, shown + by);
      for (; shown < until; shown++) piece.append(...line(order[shown]));
      body.append(piece);
      status.textContent = order.length === size ? plural(total, kind.slice(0, -1)) : count(order.length) + " of " + plural(total, kind.slice(0, -1));
      const rest = order.length - shown;
      more.replaceChildren(...[
        rest ? h("span", null, count(shown) + " of " + count(order.length) + " shown") : null,
        rest ? h("button", { type: "button", class: "button", onclick: () => grow(MORE_LINES) }, "Show " + count(Math.min(rest, MORE_LINES)) + " more") : null,
        !rest && total > size ? h("span", null, "The " + count(total - size) + " least informative are in the JSON output only.") : null,
      ].filter(Boolean));
      if (!order.length) body.append(h("tr", null, h("td", { colspan: span(), class: "left soft" }, "No matches.")));
    };
    const line = (i) => {
      const id = kind + "-" + i;
      const button = h("button", { type: "button", class: "name", "aria-expanded": String(open.has(i)), "aria-controls": id, title: shorten(texts[i], 300) }, h("span", null, texts[i]));
      const row = h("tr", { class: "line", "data-line": i, onclick: () => toggle(i, row, button) }, columns.map((column) => h("td", { class: column.class || null }, column.cell ? column.cell(i) : button)));
      if (!open.has(i)) return [row];
      row.classList.add("open");
      return [row, open.get(i)];
    };
    const toggle = (i, row, button) => {
      if (open.has(i)) {
        open.get(i).remove();
        open.delete(i);
      } else {
        const inside = h("tr", { class: "detail", id: kind + "-" + i }, h("td", { colspan: span() }, detail(i)));
        open.set(i, inside);
        row.after(inside);
      }
      row.classList.toggle("open", open.has(i));
      button.setAttribute("aria-expanded", String(open.has(i)));
    };
    const lineOf = (i) => body.querySelector('[data-line="' + i + '"]');
    const show = (i) => open.has(i) || toggle(i, lineOf(i), lineOf(i).querySelector(".name"));
    const reveal = (i) => {
      if (!order.includes(i)) {
        search.value = "";
        if (filter) filter.value = "0";
        apply();
      }
      while (!lineOf(i)) grow(MORE_LINES);
      show(i);
      lineOf(i).scrollIntoView({ block: "center" });
      lineOf(i).querySelector(".name").focus({ preventScroll: true });
    };
    // On paper nothing can be opened: the best rows are opened, and closed again afterwards.
    let opened = [];
    const print = () => {
      const closed = order.slice(0, Math.min(shown, PRINTED[kind])).filter((i) => !open.has(i) && detail.isWorthPrinting(i));
      closed.forEach(show);
      opened.push(...closed);
    };
    const unprint = () => {
      opened.forEach((i) => open.has(i) && lineOf(i) && toggle(i, lineOf(i), lineOf(i).querySelector(".name")));
      opened = [];
    };

    if (filter) filter.value = String(Math.max(0, filters.findIndex((one) => one[2])));
    const named = columns.filter((column) => column.name !== "#");
    const rows = () => [named.map((column) => column.name.toLowerCase()), ...order.map((i) => named.map((column) => column.sort(i)))];
    root.append(h("div", { class: "tools" }, search, filter, status, exports(kind, rows)),
      h("table", { class: "list" }, h("thead", null, h("tr", null, heads)), body), more);
    apply();
    return { reveal, respan, print, unprint };
  };

  // Hidden columns must not be spanned: they would take up width again.
  const narrow = window.matchMedia("screen and (max-width: 760px)"), tables = {};
  const eachTable = (work) => Object.values(tables).forEach((table) => { work(table); table.respan(); });
  let printing = false;
  variableDetail.isWorthPrinting = (i) => variables.level[i] > 0;
  pairDetail.isWorthPrinting = () => true;
  const weighted = variables.weight !== null;
  const variableColumns = [
    { name: "#", class: "w-rank wide-only", sort: (i) => i, ascending: true, cell: (i) => h("span", { class: "zero" }, count(i + 1)) },
    { name: "Variable", class: "left", sort: (i) => variables.name[i], ascending: true },
    { name: "Type", class: "left w-type wide-only", sort: (i) => variables.type[i], ascending: true, cell: (i) => h("span", { class: "zero" }, variables.type[i]) },
    { name: "Level", class: "left w-bar", title: "how informative it is on its own; a full bar is 1", sort: (i) => variables.level[i], cell: (i) => levelCell(variables.level[i]) },
    weighted && { name: "Weight", class: "w-num", title: "how much the model relies on it", sort: (i) => variables.weight[i], cell: (i) => weightCell(variables.weight[i]) },
    weighted && variables.importance && { name: "Importance", class: "w-num wide-only", title: "weight times level, as a share of the total", sort: (i) => variables.importance[i] || 0, cell: (i) => h("span", { class: variables.importance[i] ? null : "zero" }, percent(variables.importance[i] || 0)) },
    { name: "Parts", class: "w-num wide-only", sort: (i) => variables.parts[i], cell: (i) => count(variables.parts[i]) },
  ].filter(Boolean);
  const variableFilters = [
    ["all variables", () => true],
    weighted && ["used by the model", (i) => variables.weight[i] > 0],
    weighted && ["informative, but not used", (i) => variables.level[i] > 0 && !(variables.weight[i] > 0)],
    ["informative", (i) => variables.level[i] > 0],
    ["not informative", (i) => !(variables.level[i] > 0)],
  ].filter(Boolean);
  tables.variables = makeTable("variables", variableColumns, variables.name.length, variables.name, variableDetail, variableFilters, variables.total);

  const pairNames = pairs.names.map((names) => names.map(pairName).join(" × "));
  const pairColumns = [
    { name: "#", class: "w-rank wide-only", sort: (i) => i, ascending: true, cell: (i) => h("span", { class: "zero" }, count(i + 1)) },
    { name: "Pair", class: "left", sort: (i) => pairNames[i], ascending: true },
    { name: "Level", class: "left w-bar", sort: (i) => pairs.level[i], cell: (i) => levelCell(pairs.level[i]) },
    { name: "Gain", class: "w-num", title: "by how much the level exceeds that of the better variable", sort: (i) => pairs.gain[i], cell: (i) => h("span", { class: pairs.gain[i] > 0 ? null : "zero" }, signed(pairs.gain[i], 3)) },
    { name: "Synergy", class: "w-syn wide-only", title: "in nats; negative values mean redundancy", sort: (i) => pairs.synergy[i], cell: (i) => [signed(pairs.synergy[i], 1), h("small", null, " " + kindOf(pairs.synergy[i]))] },
    pairs.weight && { name: "Weight", class: "w-num wide-only", title: "how much the model relies on it; 0: others carry the same information, open the row for details", sort: (i) => pairs.weight[i], cell: (i) => weightCell(pairs.weight[i]) },
  ].filter(Boolean);
  // Many pairs carry no more information than their better variable: they are hidden at first.
  const pairFilters = [
    ["all pairs", () => true],
    ["better than either variable alone", (i) => pairs.gain[i] > 0.0005, pairs.gain.some((gain) => gain > 0.0005)],
    ["synergy", (i) => kindOf(pairs.synergy[i]) === "synergy"],
    pairs.weight && ["used by the model", (i) => pairs.weight[i] > 0],
  ].filter(Boolean);
  if (pairNames.length) tables.pairs = makeTable("pairs", pairColumns, pairNames.length, pairNames, pairDetail, pairFilters, pairs.total);

  // Rows explained

  const phrase = ({ low, high, part }) => low && high ? " in (" + low + ", " + high + "]" : low ? " > " + low : high ? " ≤ " + high : " in " + shorten(part, 60);
  const example = (one) => {
    const right = one.truth === one.predicted;
    const order = one.probabilities.map((_, j) => j).sort((a, b) => one.probabilities[b] - one.probabilities[a]);
    const shown = order.slice(0, 4);
    if (!shown.includes(one.truth)) shown[shown.length - 1] = one.truth;
    if (!shown.includes(one.predicted)) shown[shown.length - 2] = one.predicted;
    const most = Math.max(1e-9, ...one.reasons.map((reason) => Math.abs(reason.weight_of_evidence)));
    return h("article", { class: "card example" },
      h("h3", null, one.row === null ? "Sampled row" : "Row " + count(one.row + 1), h("span", { class: "mark " + (right ? "ok" : "no") }, right ? "✓ correct" : "✗ wrong")),
      h("div", { class: "odds" }, shown.map((j) => [
        h("span", { class: j === one.truth ? "true" : null, title: classes[j] }, classes[j] + (j === one.truth ? " (true)" : "") + (data.decision && j === one.predicted ? " (predicted)" : "")),
        bar(one.probabilities[j], classes[j] + ": " + percent(one.probabilities[j])), h("b", null, percent(one.probabilities[j]))])),
      h("table", { class: "reasons" }, h("thead", { class: "sr" }, h("tr", null, h("th", null, "Reason"), h("th", null, "Evidence"), h("th", null, "nats"))), h("tbody", null, one.reasons.map((reason) => h("tr", null,
        h("td", { class: "left" }, h("b", null, shorten([reason.variable].flat().join(" × "), 60)), [reason.variable].flat().length > 2 ? ": " + shorten(reason.part, 160) : phrase(reason), " favors ", h("b", null, shorten(classes[reason.towards], 30)),
          reason.against === null || reason.against === undefined ? "" : " over " + shorten(classes[reason.against], 30)),
        h("td", { class: "w" }, bar(Math.abs(reason.weight_of_evidence) / most, "evidence " + decimals(reason.weight_of_evidence, 2))),
        h("td", null, decimals(reason.weight_of_evidence, 1)))))),
      one.reasons.length ? null : h("p", { class: "soft" }, "Only the class frequencies contributed."));
  };
  charts.examples = () => evaluation.examples.map(example);

  // Begin

  const prepare = () => {
    printing = true;
    eachTable((table) => table.print());
    while (pending.size) [...pending.keys()].forEach(drawNow);
    document.querySelectorAll("details.left-out").forEach((element) => { element.open = true; });
  };
  const restore = () => {
    printing = false;
    eachTable((table) => table.unprint());
  };
  document.querySelectorAll("[data-chart]").forEach((element) => {
    const name = element.getAttribute("data-chart");
    // The choice is made before the curves that depend on it.
    if (name === "choice") element.replaceChildren(...[charts.choice()].flat());
    else lazy(element, charts[name]);
    // If drawn later, the charts above the tables would move a row away from the pointer.
    if (name !== "examples") drawNow(element);
  });
  window.addEventListener("beforeprint", prepare);
  window.addEventListener("afterprint", restore);
  narrow.addEventListener("change", () => eachTable(() => {}));
  window.matchMedia("print").addEventListener("change", (event) => (event.matches ? prepare() : restore()));
})();

// The Inspector tab of Hermes' dashboard: conversations on the left, the report of the chosen one beside them.
(function () {
  "use strict";
  const sdk = window.__HERMES_PLUGIN_SDK__;
  if (!sdk || !window.__HERMES_PLUGINS__) return;
  const { createElement: h } = sdk.React;
  const { useEffect, useRef, useState } = sdk.hooks;
  const api = "/api/plugins/inspector";
  const page = new URL("page.html", document.currentScript.src).href;

  function title(row) {
    return row.title || row.preview || row.id;
  }

  function facts(row) {
    const cost = row.cost.usd === null ? "no price" : "$" + Number(row.cost.usd).toFixed(2);
    const generations = row.conversation.generations;
    const compacted = generations === 1 ? "not compacted" : generations - 1 + "× compacted";
    return [row.last_active.slice(0, 16).replace("T", " "), row.messages + " messages", compacted, cost].join(" · ");
  }

  // What a refused request says, without its status and the wrapping of the dashboard's server.
  function reason(failure) {
    const text = String(failure.message || failure);
    const told = /^\d+: (\{.*\})$/s.exec(text);
    try {
      return String(JSON.parse(told[1]).detail);
    } catch {
      return text;
    }
  }

  function look() {
    const { color, fontFamily, fontSize, colorScheme } = getComputedStyle(document.querySelector("main") || document.body);
    return { color, fontFamily, fontSize, colorScheme };
  }

  function useNarrow() {
    const query = window.matchMedia("(max-width: 60rem)");
    const [narrow, setNarrow] = useState(query.matches);
    useEffect(function () {
      const told = () => setNarrow(query.matches);
      query.addEventListener("change", told);
      return () => query.removeEventListener("change", told);
    }, []);
    return narrow;
  }

  function Row({ row, chosen, choose }) {
    const style = {
      display: "block", width: "100%", textAlign: "left", padding: "0.5rem", cursor: "pointer",
      borderLeft: "3px solid " + (chosen ? "currentColor" : "transparent"), opacity: chosen ? 1 : 0.8,
    };
    return h("button", { style, onClick: choose, "aria-pressed": chosen },
      h("div", { style: { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" } }, title(row)),
      h("div", { style: { fontSize: "0.8em", opacity: 0.75 } }, facts(row)));
  }

  function Report({ session }) {
    const [answer, setAnswer] = useState({});
    const frame = useRef(null);
    useEffect(function () {
      let current = true;
      setAnswer({});
      sdk.fetchJSON(api + "/report?session=" + encodeURIComponent(session))
        .then((found) => current && setAnswer({ found }))
        .catch((failure) => current && setAnswer({ error: reason(failure) }));
      return () => { current = false; };
    }, [session]);
    // the page has no origin of its own that a message could be addressed to
    const show = () => frame.current && frame.current.contentWindow.postMessage({ look: look(), found: answer.found }, "*");
    useEffect(function () {
      const themed = new MutationObserver(show);
      themed.observe(document.documentElement, { attributes: true });
      return () => themed.disconnect();
    });
    if (answer.error) return h("p", { role: "alert" }, answer.error);
    if (!answer.found) return h("p", null, "Reading the conversation …");
    // it runs its own script and no other, and reaches nothing, whatever a session's text holds
    return h("iframe", {
      ref: frame, src: page, sandbox: "allow-scripts", onLoad: show, title: "Report of " + session,
      style: { display: "block", width: "100%", height: "100%", border: 0 },
    });
  }

  function Inspector() {
    const [list, setList] = useState(null);
    const [error, setError] = useState(null);
    const [chosen, setChosen] = useState(null);
    const narrow = useNarrow();
    useEffect(function () {
      sdk.fetchJSON(api + "/conversations")
        .then(function (found) {
          const newest = found.sessions.filter((row) => row.conversation.tip === row.id);
          setList(newest);
          if (newest.length) setChosen(newest[0].id);
        })
        .catch((failure) => setError(reason(failure)));
    }, []);
    if (error) return h("p", { role: "alert" }, error);
    if (!list) return h("p", null, "Reading the conversations …");
    if (!list.length) return h("p", null, "No conversation yet. Talk to Hermes, then come back.");
    const rows = list.map((row) =>
      h(Row, { key: row.id, row, chosen: row.id === chosen, choose: () => setChosen(row.id) }));
    // on a narrow page the list stands above the report and takes a third of it
    const flow = narrow ? { flexDirection: "column" } : {};
    const listed = narrow ? { flex: "0 1 auto", maxHeight: "33%" } : { flex: "0 0 18rem" };
    return h("div", { style: { display: "flex", gap: "1rem", height: "calc(100vh - 8rem)", ...flow } },
      h("nav", { style: { overflowY: "auto", ...listed }, "aria-label": "Conversations" }, rows),
      h("main", { style: { flex: 1, minWidth: 0, minHeight: 0 } }, h(Report, { session: chosen })));
  }

  window.__HERMES_PLUGINS__.register("inspector", Inspector);
})();

// The Inspector tab of Hermes' dashboard: conversations on the left, the report of the chosen one beside them.
(function () {
  "use strict";
  const sdk = window.__HERMES_PLUGIN_SDK__;
  if (!sdk || !window.__HERMES_PLUGINS__) return;
  const { createElement: h } = sdk.React;
  const { useEffect, useState } = sdk.hooks;
  const api = "/api/plugins/inspector";

  function title(row) {
    return row.title || row.preview || row.id;
  }

  function facts(row) {
    const cost = row.cost.usd === null ? "no price" : "$" + Number(row.cost.usd).toFixed(2);
    const generations = row.conversation.generations;
    const compacted = generations === 1 ? "not compacted" : generations - 1 + "× compacted";
    return [row.last_active.slice(0, 16).replace("T", " "), row.messages + " messages", compacted, cost].join(" · ");
  }

  async function fetchPage(session) {
    const answer = await sdk.authedFetch(api + "/report?session=" + encodeURIComponent(session));
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  function Row({ row, chosen, choose }) {
    const style = {
      display: "block", width: "100%", textAlign: "left", padding: "0.5rem", cursor: "pointer",
      borderLeft: "3px solid " + (chosen ? "currentColor" : "transparent"), opacity: chosen ? 1 : 0.8,
    };
    return h("button", { style, onClick: choose, "aria-pressed": chosen },
      h("div", { style: { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" } }, title(row)),
      h("small", null, facts(row)));
  }

  function Report({ session }) {
    const [page, setPage] = useState({});
    useEffect(function () {
      let current = true;
      setPage({});
      fetchPage(session)
        .then((html) => current && setPage({ html }))
        .catch((error) => current && setPage({ error: String(error.message || error) }));
      return () => { current = false; };
    }, [session]);
    if (page.error) return h("p", { role: "alert" }, page.error);
    if (!page.html) return h("p", null, "Reading the conversation …");
    // an empty sandbox: the page runs nothing and reaches nothing, whatever a session's text holds
    return h("iframe", {
      sandbox: "", srcDoc: page.html, title: "Report of " + session,
      style: { width: "100%", height: "100%", border: 0, background: "white" },
    });
  }

  function Inspector() {
    const [list, setList] = useState(null);
    const [error, setError] = useState(null);
    const [chosen, setChosen] = useState(null);
    useEffect(function () {
      sdk.fetchJSON(api + "/conversations")
        .then(function (found) {
          const newest = found.sessions.filter((row) => row.conversation.tip === row.id);
          setList(newest);
          if (newest.length) setChosen(newest[0].id);
        })
        .catch((failure) => setError(String(failure.message || failure)));
    }, []);
    if (error) return h("p", { role: "alert" }, error);
    if (!list) return h("p", null, "Reading the conversations …");
    if (!list.length) return h("p", null, "No conversation yet. Talk to Hermes, then come back.");
    const rows = list.map((row) =>
      h(Row, { key: row.id, row, chosen: row.id === chosen, choose: () => setChosen(row.id) }));
    return h("div", { style: { display: "flex", gap: "1rem", height: "calc(100vh - 8rem)" } },
      h("nav", { style: { flex: "0 0 20rem", overflowY: "auto" }, "aria-label": "Conversations" }, rows),
      h("main", { style: { flex: 1, minWidth: 0 } }, h(Report, { session: chosen })));
  }

  window.__HERMES_PLUGINS__.register("inspector", Inspector);
})();

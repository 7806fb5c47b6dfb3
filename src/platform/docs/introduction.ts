/** The introduction of the API document. */

/** Markdown. */
export const introduction = (
  publicUrl: string,
): string => `One call starts a run. The server completes it across crashes and restarts and records every step.

\`\`\`sh
curl ${publicUrl}/api/v1/agent-runs \\
  -H "Authorization: Bearer $TROUPE_KEY" -H 'Content-Type: application/json' \\
  -d '{"agentId": "agt_system_assistant", "query": "What day is it in 100 days?"}'
\`\`\`

The call returns as soon as the run is stored. \`GET /api/v1/agent-runs/{agentRunId}\` returns its state, \`…/stream\` follows it live, \`…/steps\` lists its steps.

- **Shapes.** A single resource is \`{"data": {…}}\`, a list \`{"data": {"items": […]}, "pagination": {…}}\`. Timestamps are RFC 3339 in UTC with milliseconds; durations end in \`Ms\` or \`Seconds\`. Ids are a prefix and 26 characters (\`run_…\`) and sort by creation. Unknown fields and query parameters are refused, and so are bodies where an operation has none.
- **Errors.** Every error is a \`PublicApiError\`: use its \`code\` in programs; \`message\` is for people, and \`requestId\` is for support. A resource of another organization answers 404, like one that does not exist, whatever else is wrong with the request. Every 429 and 503 has a \`Retry-After\`.
- **Limits.** If the operator limits requests, each answer to an API key or a session has \`RateLimit\` and \`RateLimit-Policy\`; all answers have \`X-Request-Id\`.
- **Lists.** \`limit\` is 1 to 100. While \`pagination.hasMore\` is true, send \`pagination.nextCursor\` as \`cursor\`, with the same filters.
- **Idempotency.** Operations with an \`Idempotency-Key\` take effect once per key: if an answer is lost, send the same request with the same key to get the first answer.
- **Statecharts.** Every resource with a \`state\` is run by a statechart: \`GET /api/v1/machines\` lists them, and each resource's actor can be read, watched, simulated and verified.
`

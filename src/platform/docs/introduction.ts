/** What the API document says before its first operation. */

/** Markdown. */
export const introduction = (
  publicUrl: string,
): string => `You start a run with one call, and it is carried through to its end, across crashes and restarts, with every step on record.

\`\`\`sh
curl ${publicUrl}/api/v1/agent-runs \\
  -H "Authorization: Bearer $TROUPE_KEY" -H 'Content-Type: application/json' \\
  -d '{"agentId": "agt_system_assistant", "query": "What day is it in 100 days?"}'
\`\`\`

The answer comes as soon as the run is stored. \`GET /api/v1/agent-runs/{agentRunId}\` says how it stands, \`…/stream\` tells of it as it goes, \`…/steps\` has all that it did.

- **Shapes.** One thing is \`{"data": {…}}\`, a list \`{"data": {"items": […]}, "pagination": {…}}\`. Instants are RFC 3339 in UTC with milliseconds; durations end in \`Ms\` or \`Seconds\`. Ids are a prefix and 26 characters (\`run_…\`), and sort by creation. Fields and query parameters that are not known are refused, and so are bodies where none belongs.
- **Errors.** Each is a \`PublicApiError\`: go by its \`code\`; \`message\` is for people, \`requestId\` for whom you ask about it. What belongs to another organization answers 404, like what does not exist, whatever else is wrong with the request. Every 429 and 503 has a \`Retry-After\`.
- **Limits.** Where the operator limits requests, each answer to a key or a session has \`RateLimit\` and \`RateLimit-Policy\`; all answers have \`X-Request-Id\`.
- **Lists.** \`limit\` is 1 to 100. While \`pagination.hasMore\`, send \`pagination.nextCursor\` back as \`cursor\`, with the same filters.
- **Once.** Operations with an \`Idempotency-Key\` have their effect once per key: after a lost answer send the same request with the same key, and get the first answer.
- **Statecharts.** Whatever has a \`state\` lives by a statechart: \`GET /api/v1/machines\` has all of them, and each resource's actor can be read, watched, tried and verified.
`

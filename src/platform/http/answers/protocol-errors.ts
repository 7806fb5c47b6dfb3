/** Error codes of other protocols: of tool servers (MCP), and of clients of compatible APIs such as `/openai`. */
export const protocolErrors = {
  mcp_server_failed: {
    statuses: [422],
    meaning: 'The MCP server behind the Connection could not be reached, or did not answer as the protocol says.',
  },
  unsupported_parameter: {
    statuses: [400],
    meaning: 'A protocol has this parameter, but it does not apply to an Agent of Troupe; the message says why.',
  },
  previous_response_not_latest: {
    statuses: [400],
    meaning: 'The conversation has moved on since the response that is to be continued.',
  },
  run_failed: { statuses: [502], meaning: 'The run has failed, in a protocol that cannot say so in its answer.' },
  run_canceled: { statuses: [502], meaning: 'The run was canceled or has expired, likewise.' },
} as const

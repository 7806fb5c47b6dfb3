/** The actor of a transition, in words. */

const types: Record<string, string> = {
  user: 'a user',
  apiKey: 'an API key',
  system: 'the server',
  runner: 'a runner',
  agentJob: 'a job',
  workflow: 'a workflow',
}

/** `a user usr_…4f2k`; the server has no id. */
export function whoText({ type, id }: { type: string; id: string }): string {
  const what = types[type] ?? type
  if (type === 'system') return what
  return `${what} ${id.length > 14 ? `${id.slice(0, 4)}…${id.slice(-6)}` : id}`
}

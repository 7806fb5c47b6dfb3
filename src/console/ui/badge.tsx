/** State badges. The word is the API's; the colour shows its tone. */

export const allTones = ['good', 'bad', 'busy', 'waiting', 'idle'] as const
export type Tone = (typeof allTones)[number]

/** Tone of every state of every machine. Unknown states, such as user-defined ones, are idle. */
const tones: Record<string, Tone> = {
  // runs
  queued: 'waiting',
  acquiring: 'busy',
  starting: 'busy',
  running: 'busy',
  awaitingToolResult: 'waiting',
  awaitingDelegateResult: 'waiting',
  canceling: 'busy',
  completed: 'good',
  failed: 'bad',
  canceled: 'idle',
  expired: 'idle',
  // environments, deployments, projects
  provisioning: 'busy',
  active: 'good',
  deleting: 'bad',
  paused: 'waiting',
  validating: 'busy',
  materializing: 'busy',
  ready: 'good',
  // applies
  planned: 'waiting',
  writing: 'busy',
  releasing: 'busy',
  configuring: 'busy',
  deploying: 'busy',
  activating: 'busy',
  applied: 'good',
  // deletions
  draining: 'busy',
  removing: 'busy',
  settling: 'waiting',
  deleted: 'idle',
  // deliveries
  pending: 'waiting',
  'in-flight': 'busy',
  retrying: 'waiting',
  delivered: 'good',
  'dead-letter': 'bad',
  // operations, approvals, workflows
  leased: 'busy',
  waiting: 'waiting',
  waiting_approval: 'waiting',
  pending_approval: 'waiting',
  unknown: 'bad',
  succeeded: 'good',
  skipped: 'idle',
  approved: 'good',
  rejected: 'bad',
  // jobs
  scheduled: 'waiting',
  firing: 'busy',
  // alerts
  ok: 'good',
  cooling: 'waiting',
  // keys, connections, integrations
  revoked: 'idle',
  disabled: 'idle',
  healthy: 'good',
  unhealthy: 'bad',
  verified: 'good',
  unverified: 'waiting',
  connected: 'good',
  misconfigured: 'bad',
  // subscriptions
  none: 'idle',
  past_due: 'bad',
  trialing: 'waiting',
  // entities
  'entity/deleted': 'idle',
}

export const toneOf = (state: string): Tone => (Object.hasOwn(tones, state) && tones[state]) || 'idle'

/** `awaitingToolResult` → `awaiting tool result` */
const spaced = (state: string) =>
  state
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()

export function StateBadge({ state, tone = toneOf(state) }: { state: string; tone?: Tone }) {
  return (
    <span className={`badge badge-${tone}`} data-state={state}>
      <span className="badge-dot" aria-hidden="true" />
      {spaced(state)}
    </span>
  )
}

/** A neutral label, such as a kind or a role. Long text is truncated, with the whole as tooltip. */
export const Tag = ({ children }: { children: string }) => (
  <span className="tag" title={children}>
    {children}
  </span>
)

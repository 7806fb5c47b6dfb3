/** TypeIDs: a prefix, `_`, and a UUIDv7 as 26 base32 digits. They sort by creation time. Source: contract 0, "Ids". */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** The two base32 digits of each 10-bit number. */
export const pairs = Array.from({ length: 1024 }, (_, number) => `${alphabet[number >> 5]}${alphabet[number & 31]}`)

/** The id prefixes, each with the name of its resource in the API document. */
export const idNames = {
  org: 'Organization',
  usr: 'User',
  ivt: 'Invitation',
  atk: 'AccountToken',
  dva: 'DeviceAuthorization',
  ntc: 'Notice',
  ugr: 'UserGroup',
  key: 'ApiKey',
  prj: 'Project',
  grt: 'AccessGrant',
  env: 'Environment',
  cfr: 'ConfigurationRevision',
  agt: 'Agent',
  agr: 'AgentRevision',
  tpl: 'Template',
  def: 'Definition',
  dfr: 'DefinitionRevision',
  rel: 'Release',
  dep: 'Deployment',
  act: 'Activation',
  apl: 'Apply',
  var: 'Variable',
  con: 'Connection',
  cnv: 'ConnectionVersion',
  crd: 'ProviderCredential',
  ogr: 'OAuthGrant',
  evt: 'Event',
  whk: 'Webhook',
  whr: 'WebhookRecovery',
  dlv: 'WebhookDelivery',
  run: 'AgentRun',
  blk: 'BulkAction',
  att: 'Attempt',
  int: 'Integration',
  inv: 'IntegrationVersion',
  wfr: 'WorkflowRun',
  wev: 'WorkflowEvent',
  opi: 'OperationInvocation',
  apr: 'OperationApproval',
  job: 'AgentJob',
  ent: 'Entity',
  aud: 'AuditEvent',
  ses: 'Session',
  rpl: 'RunnerPool',
  rtk: 'RunnerToken',
  alr: 'AlertRule',
  ali: 'AlertIncident',
  req: 'Request',
} as const

export type IdPrefix = keyof typeof idNames

/** Encodes 16 bytes as 26 base32 digits. On the hot path: every command creates ids. */
export function idOf(prefix: IdPrefix, bytes: Uint8Array): string {
  let text = `${prefix}_`
  // thirteen pairs of digits hold 130 bits, so two leading zero bits are added
  let held = 0
  let bits = 2
  for (let at = 0; at < 16; at += 1) {
    held = (held << 8) | (bytes[at] as number)
    bits += 8
    if (bits < 10) continue
    bits -= 10
    text += pairs[held >> bits]
    held &= (1 << bits) - 1
  }
  return text
}

/** A 12-bit counter orders the UUIDs of one millisecond. It starts below 2,048, so at least this many ids fit. */
const perMillisecond = 2_048
/** If the clock is set back by at least this many milliseconds, new ids use the earlier time. */
const aheadMax = 1_000
let drawnAt = 0
let drawn = 0

/** The current time, or up to a second later if the counter is exhausted or the clock was set back. */
function nextInstant(): number {
  drawn += 1
  const now = Date.now()
  const isAhead = now <= drawnAt && drawnAt - now < aheadMax
  if (isAhead && drawn < perMillisecond) return drawnAt
  drawnAt = isAhead ? drawnAt + 1 : now
  drawn = 0
  return drawnAt
}

/** A new id, created at this instant (epoch milliseconds; default: now). */
export const newId = (prefix: IdPrefix, at?: number): string =>
  idOf(prefix, Bun.randomUUIDv7('buffer', at ?? nextInstant()))

/** The smallest id of this instant (epoch milliseconds): no id created then or later sorts before it. */
export function firstIdAt(prefix: IdPrefix, at: number): string {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.floor(at))) << 16n)
  return idOf(prefix, bytes)
}

const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether the text is an id with this prefix. Names of built-in resources (`agt_system_…`) are not TypeIDs. */
export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.startsWith(`${prefix}_`) && suffix.test(text.slice(prefix.length + 1))

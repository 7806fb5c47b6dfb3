/** TypeIDs: a prefix, `_`, 26 base32 characters of a UUIDv7; they sort by creation. Source: contract 0, "Ids". */
import { TypeID } from 'typeid-js'

/** The prefixes, and what an id is the id of: the name of its record in the API document. */
export const idNames = {
  org: 'Organization',
  usr: 'User',
  ivt: 'Invitation',
  atk: 'AccountToken',
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
  att: 'Attempt',
  int: 'Integration',
  inv: 'IntegrationVersion',
  wfr: 'WorkflowRun',
  opi: 'OperationInvocation',
  apr: 'OperationApproval',
  job: 'AgentJob',
  ent: 'Entity',
  aud: 'AuditEvent',
  ses: 'Session',
  rpl: 'RunnerPool',
  rtk: 'RunnerToken',
  req: 'Request',
} as const

export type IdPrefix = keyof typeof idNames

/** A new id, created at this instant (epoch milliseconds; default: now). */
export const newId = (prefix: IdPrefix, at?: number): string =>
  TypeID.fromUUIDBytes(prefix, Bun.randomUUIDv7('buffer', at ?? Date.now())).toString()

/** No id that is created at this instant or later (epoch milliseconds) sorts before this one. */
export function firstIdAt(prefix: IdPrefix, at: number): string {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.floor(at))) << 16n)
  return TypeID.fromUUIDBytes(prefix, bytes).toString()
}

const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether the text is an id with this prefix. Names of built-in resources (`agt_system_…`) are not TypeIDs. */
export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.startsWith(`${prefix}_`) && suffix.test(text.slice(prefix.length + 1))

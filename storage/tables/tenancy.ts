/**
 * Organizations, their members and what they own. Timestamps are epoch milliseconds; JSON is text. Row types for
 * Kysely; the migrations define the tables.
 */
export interface OrganizationRow {
  id: string
  slug: string
  name: string
  kind: 'team' | 'personal'
  status: 'active' | 'deleting'
  created_at: number
  updated_at: number
}

/** The limits of each run of an organization, as JSON. */
export interface OrganizationRunLimitsRow {
  organization_id: string
  limits: string
}

export interface UserRow {
  id: string
  email: string
  name: string
  password_hash: string
  created_at: number
  /** Null while the address is not verified. */
  email_verified_at: number | null
}

export interface MembershipRow {
  organization_id: string
  user_id: string
  role: 'owner' | 'admin' | 'member'
  created_at: number
  /** Sessions that began at or before this time no longer count for the organization. */
  sessions_ended_at?: number | null
}

export interface ApiKeyRow {
  id: string
  organization_id: string
  name: string
  prefix: string
  secret_hash: string
  operations: string
  project_id: string | null
  environment_id: string | null
  agent_id: string | null
  created_by: string
  status: 'active' | 'revoked'
  expires_at: number
  last_used_at: number | null
  created_at: number
  /** The key that replaces it. */
  replaced_by?: string | null
}

/** Data of the whole installation; a single row. */
interface InstallationRow {
  id: number
  first_organization_id: string
}

/** A sign-in; the id is the hash of the cookie's value. */
export interface SessionRow {
  id: string
  /** The id that may be shown. */
  public_id: string
  user_id: string
  /** Address and user agent of the last use. */
  address: string | null
  user_agent: string | null
  created_at: number
  last_seen_at: number
  expires_at: number
}

/** A program's pending request for an API key. Source: contract 10, "CLI". */
export interface DeviceAuthorizationRow {
  id: string
  /** The hash of a secret that only the program has. */
  device_code_hash: string
  /** Eight letters that a person types or sees. */
  user_code: string
  client_name: string
  address: string | null
  /** These four are null until the request is approved. */
  organization_id: string | null
  approved_by: string | null
  /** The id of the session or the key with which it was approved. */
  approved_with: string | null
  /** JSON: `operations`, place and expiry of the new key. */
  new_key: string | null
  created_at: number
  expires_at: number
}

export interface InvitationRow {
  id: string
  organization_id: string
  /** Null if an account is invited instead of an address. */
  email: string | null
  /** The only account that may accept; null if an address is invited. */
  user_id: string | null
  role: MembershipRow['role']
  token_hash: string
  /** 1: the token was sent only by mail, so its bearer can read mail to the address. */
  mailed: 0 | 1
  /** When the next mail attempt is due; null if there is nothing (left) to send. */
  mail_due_at: number | null
  mail_attempts: number
  invited_by: string
  created_at: number
  expires_at: number
}

/** A single-use token for an account, mailed to its address. */
export interface AccountTokenRow {
  id: string
  user_id: string
  purpose: 'verification' | 'password-reset'
  token_hash: string
  mail_due_at: number | null
  mail_attempts: number
  created_at: number
  expires_at: number
}

export interface UserGroupRow {
  id: string
  organization_id: string
  name: string
  created_at: number
  updated_at: number
}

interface UserGroupMemberRow {
  user_group_id: string
  organization_id: string
  user_id: string
  created_at: number
}

/** What a user or a group (exactly one of them) may do in a Project. */
export interface AccessGrantRow {
  id: string
  organization_id: string
  project_id: string
  user_id: string | null
  user_group_id: string | null
  /** JSON: permission names. */
  permissions: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface AuditEventRow {
  organization_id: string
  id: string
  actor_type: 'user' | 'apiKey' | 'server'
  actor_id: string
  ip: string | null
  operation: string
  resource_type: string
  resource_id: string | null
  outcome: 'allowed' | 'denied' | 'failed'
  request_id: string
  /** Null: unknown. */
  request_id_from: 'server' | 'client' | null
  /** JSON: field names. */
  changed: string
  /** The number of occurrences; above 1 only for refusals. */
  count: number
  at: number
}

/** The actor that removes an organization, a Project or an Agent; the id is the target's. */
export interface DeletionRow {
  id: string
  target: 'organization' | 'project' | 'agent'
  organization_id: string
  project_id: string | null
  state: string
  version: number
  machine_version: string
  context: string
  requested_by_type: 'user' | 'apiKey'
  requested_by_id: string
  /** The number of runs to remove, counted so far, and the last run counted; null: all are counted. */
  runs_counted: number
  counted_to: string | null
  runs_removed: number
  /** The number of other records removed. */
  records_removed: number
  created_at: number
  updated_at: number
}

/** The key that encrypts an organization's secrets, itself encrypted. */
export interface DataKeyRow {
  organization_id: string
  master_key_id: string
  wrapped: string
  created_at: number
}

export interface CanaryRow {
  id: number
  master_key_id: string
  sealed: string
}

export interface TenancyTables {
  organizations: OrganizationRow
  organization_run_limits: OrganizationRunLimitsRow
  users: UserRow
  memberships: MembershipRow
  api_keys: ApiKeyRow
  installation: InstallationRow
  sessions: SessionRow
  invitations: InvitationRow
  device_authorizations: DeviceAuthorizationRow
  account_tokens: AccountTokenRow
  user_groups: UserGroupRow
  user_group_members: UserGroupMemberRow
  access_grants: AccessGrantRow
  audit_events: AuditEventRow
  deletions: DeletionRow
  data_keys: DataKeyRow
  canary: CanaryRow
}

/** Members and possessions of an organization. Row types for Kysely; the migrations define the tables. */
/** The tables as Kysely knows them. Instants are epoch milliseconds; JSON is text. The migrations say the rest. */
export interface OrganizationRow {
  id: string
  slug: string
  name: string
  kind: 'team' | 'personal'
  status: 'active' | 'deleting'
  created_at: number
  updated_at: number
}

/** JSON: what each run may use. */
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
  /** Sessions that began no later are over for the organization. */
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
  /** The key that was made in its place. */
  replaced_by?: string | null
}

/** What is true of the whole installation; one row. */
export interface InstallationRow {
  id: number
  first_organization_id: string
}

/** A sign-in; the id is the hash of the cookie's value. */
export interface SessionRow {
  id: string
  /** What may be shown of it. */
  public_id: string
  user_id: string
  /** Of the last use. */
  address: string | null
  user_agent: string | null
  created_at: number
  last_seen_at: number
  expires_at: number
}

/** A program that waits for an API key. Source: contract 10, "CLI". */
export interface DeviceAuthorizationRow {
  id: string
  /** Of the secret that only the program has. */
  device_code_hash: string
  /** Eight letters that a person types or sees. */
  user_code: string
  client_name: string
  address: string | null
  /** These three are null until the request is approved. */
  organization_id: string | null
  approved_by: string | null
  /** JSON: `operations`, the place and the expiry of the key to be. */
  new_key: string | null
  created_at: number
  expires_at: number
}

export interface InvitationRow {
  id: string
  organization_id: string
  /** Null when an account is invited, and no address. */
  email: string | null
  /** The account that alone may accept; null when an address is invited. */
  user_id: string | null
  role: MembershipRow['role']
  token_hash: string
  /** 1: the token is only mailed, so its bearer can read the mail of the address. */
  mailed: 0 | 1
  /** When its mail is tried next; null when there is nothing to send, any more or at all. */
  mail_due_at: number | null
  mail_attempts: number
  invited_by: string
  created_at: number
  expires_at: number
}

/** What an account may do once, by a token that went to its address. */
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

export interface UserGroupMemberRow {
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
  /** How often this has happened; more than once only for refusals. */
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
  /** How many runs there are to remove, as far as they are counted, and the last one of those; null: all are. */
  runs_counted: number
  counted_to: string | null
  runs_removed: number
  /** How many rows of other sorts. */
  records_removed: number
  created_at: number
  updated_at: number
}

/** The key that an organization's secrets are encrypted with, itself encrypted. */
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

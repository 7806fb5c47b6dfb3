/**
 * Rows that are written directly into a running server's store: organizations, people, Projects with their content, and
 * keys of people who could not create one. Only for rows that the server has not read yet: it is not notified.
 */

import type { SQLQueryBindings } from 'bun:sqlite'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { newId } from '../../../storage/ids.ts'
import type { ApiKeyRow, MembershipRow, RunRow, Tables } from '../../../storage/tables.ts'
import { openRows, type Rows } from './rows.ts'

const day = 24 * 60 * 60 * 1000
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** An account whose address is verified from the beginning. */
const verified = (at: number) => ({ created_at: at, email_verified_at: at })

interface Place {
  projectId: string | null
  environmentId: string | null
  agentId: string | null
}

export class Tenancy {
  #opened: Rows | undefined

  constructor(
    private readonly file: string,
    private readonly now: () => number = Date.now,
  ) {}

  get #rows(): Rows {
    this.#opened ??= openRows(this.file)
    return this.#opened
  }

  close() {
    this.#opened?.close()
  }

  run(sql: string, ...parameters: SQLQueryBindings[]) {
    this.#rows.run(sql, ...parameters)
  }

  all<Row>(sql: string, ...parameters: SQLQueryBindings[]): Row[] {
    return this.#rows.all<Row>(sql, ...parameters)
  }

  insert<Table extends keyof Tables>(table: Table, row: Tables[Table]) {
    const names = Object.keys(row)
    this.run(
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      ...(Object.values(row) as (string | number | null)[]),
    )
  }

  organization(): string {
    const id = newId('org')
    this.insert('organizations', {
      id,
      slug: id.slice(-20),
      name: 'Other',
      kind: 'team',
      status: 'active',
      ...this.#at(),
    })
    return id
  }

  /** A user, in the organization with this role or in none. */
  user(organizationId?: string, role: MembershipRow['role'] = 'owner'): string {
    const id = newId('usr')
    this.insert('users', { id, email: `${id}@example.com`, name: 'Ada', password_hash: '-', ...verified(this.now()) })
    if (organizationId !== undefined) this.member(organizationId, id, role)
    return id
  }

  member(organizationId: string, userId: string, role: MembershipRow['role']) {
    this.insert('memberships', { organization_id: organizationId, user_id: userId, role, created_at: this.now() })
  }

  group(organizationId: string, members: readonly string[]): string {
    const id = newId('ugr')
    this.insert('user_groups', { id, organization_id: organizationId, name: `Group ${id}`, ...this.#at() })
    for (const userId of members) {
      this.insert('user_group_members', {
        user_group_id: id,
        organization_id: organizationId,
        user_id: userId,
        created_at: this.now(),
      })
    }
    return id
  }

  /** An invitation of an address, with a token that is discarded. */
  invitation(organizationId: string, invitedBy: string, email: string, role: MembershipRow['role']) {
    this.insert('invitations', {
      id: newId('ivt'),
      organization_id: organizationId,
      email,
      user_id: null,
      role,
      token_hash: newId('ivt'),
      mailed: 0,
      mail_due_at: null,
      mail_attempts: 0,
      invited_by: invitedBy,
      created_at: this.now(),
      expires_at: this.now() + day,
    })
  }

  /** Signs the user in; returns the cookie. */
  session(userId: string): string {
    const token = crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true })
    const now = this.now()
    this.insert('sessions', {
      id: sha256(token),
      public_id: newId('ses', now),
      user_id: userId,
      address: null,
      user_agent: null,
      created_at: now,
      last_seen_at: now,
      expires_at: now + day,
    })
    return `troupe_session=${token}`
  }

  project(organizationId: string): string {
    const id = newId('prj')
    const status = 'active'
    const slug = id.slice(-20)
    this.insert('projects', {
      id,
      organization_id: organizationId,
      slug,
      name: slug,
      template_id: null,
      status,
      ...this.#at(),
    })
    return id
  }

  environment(
    organizationId: string,
    projectId: string,
    kind: 'development' | 'preview' | 'production' = 'development',
  ): string {
    const id = newId('env')
    this.insert('environments', {
      id,
      organization_id: organizationId,
      project_id: projectId,
      kind,
      name: kind,
      state: 'active',
      version: 1,
      machine_version: '1',
      context: '{}',
      generation: 0,
      head_revision_id: newId('cfr'),
      head_number: 0,
      active_deployment_id: null,
      ...this.#at(),
    })
    return id
  }

  agent(organizationId: string, projectId: string): string {
    const id = newId('agt')
    this.insert('agents', {
      id,
      organization_id: organizationId,
      project_id: projectId,
      slug: id.slice(-20),
      name: 'Agent',
      description: null,
      status: 'active',
      latest_revision_id: null,
      ...this.#at(),
    })
    return id
  }

  /** A key with all the given fields; returns its id and its secret. */
  key(
    organizationId: string,
    createdBy: string,
    operations: readonly string[],
    changes: Partial<ApiKeyRow> = {},
  ): { id: string; secret: string } {
    const secret = newSecret()
    const id = newId('key')
    this.insert('api_keys', {
      id,
      organization_id: organizationId,
      name: 'key',
      prefix: secret.slice(0, 8),
      secret_hash: sha256(secret),
      operations: JSON.stringify(operations),
      project_id: null,
      environment_id: null,
      agent_id: null,
      created_by: createdBy,
      status: 'active',
      expires_at: this.now() + day,
      last_used_at: null,
      created_at: this.now(),
      ...changes,
    })
    return { id, secret }
  }

  /** A copy of a run, as if it had been started elsewhere in the tree; returns its id. */
  copyOfRun(runId: string, organizationId: string, { projectId, environmentId, agentId }: Place): string {
    const [row] = this.all<RunRow>('select * from runs where id = ?', runId)
    if (!row) throw new Error('There is no such run.')
    const id = newId('run')
    const place = { project_id: projectId, environment_id: environmentId, agent_id: agentId ?? row.agent_id }
    this.insert('runs', { ...row, ...place, id, organization_id: organizationId })
    return id
  }

  #at() {
    return { created_at: this.now(), updated_at: this.now() }
  }
}

/** The resources of an organization outside its Projects: members, groups, keys, runner pools, credentials, variables. */
import type { Maker } from './maker.ts'
import { longName, printable, type Words } from './words.ts'

export interface Organized {
  userGroupId: string
  keyId: string
  poolId: string
  credentialId: string
  /** A Variable that Environments can inherit. */
  variableId: string
  /** A user who accepted an invitation, as an owner. */
  person: { email: string; password: string }
}

export async function organize(api: Maker, words: Words, hostile: boolean): Promise<Organized> {
  const organization = '/api/v1/organizations/default'
  const person = { email: 'ada@example.com', password: 'correct horse battery staple' }
  const invite = (email: string, role: string) => api.post(`${organization}/members`, { email, role })

  await api.patch(organization, { name: words('Lovelace & Co') })
  const { invitation } = await invite(person.email, 'owner')
  const nobody = { key: null }
  const accepted = await api.owner.post(
    '/api/auth/invitations',
    { token: invitation.token, name: words('Ada Lovelace'), password: person.password },
    nobody,
  )
  if (accepted.status !== 200) throw new Error(JSON.stringify(accepted.body))
  await invite(`${hostile ? '<img/src=x/onerror=alert()>' : 'grace'}@example.com`, 'member')

  const once = {
    'idempotency-key': printable(words('Night-shift', 255)),
    'x-request-id': printable(words('night-shift', 128)),
  }
  const group = await api.post(`${organization}/user-groups`, { name: words('Night shift') }, once)
  await api.post(`${organization}/user-groups/${group.id}/members`, { userId: accepted.body.data.user.id })
  const key = await api.post('/api/v1/api-keys', {
    name: words('The mobile app'),
    operations: ['agent-runs:create', 'agent-runs:get', 'agent-runs:list'],
    expiresAt: new Date(Date.now() + 40 * 86_400_000).toISOString(),
  })
  const revoked = await api.post('/api/v1/api-keys', { name: words('An old laptop'), operations: ['agent-runs:get'] })
  await api.post(`/api/v1/api-keys/${revoked.id}/revoke`)
  const pool = await api.post('/api/v1/runner-pools', { name: words('The data centre') })
  const token = await api.post(`/api/v1/runner-pools/${pool.id}/tokens`, {})
  await api.post(`/api/v1/runner-pools/${pool.id}/tokens/${token.id}/rotate`, { overlapSeconds: 600 })
  const credential = await api.post(`${organization}/provider-credentials`, {
    label: words('Anthropic, billing to the desk'),
    provider: 'anthropic',
    credentialType: 'api_key',
    secret: 'sk-ant-nothing',
  })
  await api.post(`${organization}/provider-credentials/${credential.id}/versions`, { secret: 'sk-ant-newer' })
  const variable = await api.post(`${organization}/variables`, {
    name: hostile ? longName('GREETING_', 128).toUpperCase() : 'GREETING',
    value: words('Good morning'),
    description: words('How we greet.', 2000),
  })
  return {
    userGroupId: group.id,
    keyId: key.id,
    poolId: pool.id,
    credentialId: credential.id,
    variableId: variable.id,
    person,
  }
}

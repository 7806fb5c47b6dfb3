/** Many refused requests: each is cheap to send, and must be as cheap to refuse. */
import { newSecret } from '../../src/tenancy/api-keys/secret.ts'
import { requestBytes } from '../http-client.ts'
import { assistant, runsPath, startBytes } from '../troupe.ts'
import type { Attack } from './attack.ts'

const signIn = (email: string, password: string) =>
  requestBytes('POST', '/api/auth/sessions', { body: { email, password } })

const each = (count: number, make: (index: number) => Uint8Array) => Array.from({ length: count }, (_, at) => make(at))

export const floodAttacks: Attack[] = [
  {
    what: 'wrong passwords of one account',
    clients: 64,
    prepare: async () => each(100, (index) => signIn('owner@localhost', `wrong password ${index}`)),
  },
  {
    what: 'sign-ins of accounts that do not exist',
    clients: 64,
    prepare: async () => each(1_000, (index) => signIn(`nobody-${index}@example.com`, 'wrong password')),
  },
  {
    what: 'API keys that do not exist',
    clients: 64,
    prepare: async () => each(1_000, () => requestBytes('GET', runsPath, { key: newSecret() })),
  },
  {
    what: 'run starts that are refused',
    clients: 64,
    prepare: async ({ key }) => [
      requestBytes('POST', runsPath, { key, body: { agentId: assistant, queery: 'Hello' } }),
    ],
  },
  {
    what: 'run starts as fast as they are taken',
    clients: 64,
    prepare: async ({ key }) => [startBytes(key, '/say Hello.')],
  },
]

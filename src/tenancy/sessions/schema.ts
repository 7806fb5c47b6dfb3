/** The shapes of signing in and out. Source: contract 1, "Session", "User". */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import type { UserRow } from '../../../storage/tables.ts'
import type { Role } from '../../platform/http/guard/caller.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { hasPasswordLength, lengthRule, passwordLengthMax, passwordLengthMin } from './new-password.ts'

export const roles = ['owner', 'admin', 'member'] as const satisfies readonly Role[]

// the length is counted in characters (code points)
TypeRegistry.Set<TSchema>('NewPassword', (_, value) => typeof value === 'string' && hasPasswordLength(value))

/** A password that somebody chooses. `assertGoodPassword` judges the rest of it. */
export const NewPassword = Type.Unsafe<string>({
  [Kind]: 'NewPassword',
  type: 'string',
  minLength: passwordLengthMin,
  maxLength: passwordLengthMax,
  description: `A password of ${passwordLengthMin} to ${passwordLengthMax} characters, none of the most common ones, and not the email address.`,
  fault: lengthRule,
})

export const SignInBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254, description: 'The address, in upper or lower case.' }),
    password: Type.String({ description: 'The password.' }),
    organization: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description:
          'The slug of an organization: only its members are signed in. For an address that several accounts have given.',
        examples: ['default'],
      }),
    ),
  },
  { $id: 'SignIn', description: 'Who signs in.' },
)
export type SignIn = Static<typeof SignInBody>

export const PasswordBody = Type.Object(
  {
    current: Type.String({ description: 'The password until now.' }),
    new: NewPassword,
  },
  { $id: 'PasswordChange', description: 'Another password for the user of the session.' },
)
export type PasswordChange = Static<typeof PasswordBody>

export const SessionPath = Type.Object({ sessionId: Id('ses', 'One of your sessions.') })

export const OwnSession = Type.Object(
  {
    id: Id('ses', 'Names the session, and opens nothing.'),
    createdAt: Timestamp('When you signed in.'),
    lastUsedAt: Timestamp('The last use, to the minute.'),
    expiresAt: Timestamp('When it ends, unless it is used before.'),
    address: nullable(Type.String({ description: 'The address of the last use, to the minute.' })),
    userAgent: nullable(Type.String({ description: 'What the browser called itself at the sign-in; not verified.' })),
    current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
  },
  { $id: 'OwnSession', description: 'A session of yours, without its secret.' },
)
export type OwnSession = Static<typeof OwnSession>

export const Session = Type.Object(
  {
    user: Type.Object({
      id: Id('usr'),
      email: Type.String({ description: 'In lower case.' }),
      name: Type.String({ description: 'Name' }),
      createdAt: Timestamp('When the user was created.'),
    }),
    organizations: Type.Array(
      Type.Object({
        id: Id('org'),
        slug: Type.String({ description: 'Slug' }),
        name: Type.String({ description: 'Name' }),
        role: oneOf(roles, { description: 'What the user is there.' }),
      }),
      { description: 'Where the user belongs, the oldest membership first.' },
    ),
    csrfToken: Type.String({ description: "What the session's changes carry as `X-CSRF-Token`." }),
  },
  { $id: 'Session', description: 'Who is signed in, and where they belong.' },
)
export type Session = Static<typeof Session>

/** A session as its user sees it. */
export const presentSession = (
  { id, email, name, created_at: createdAt }: UserRow,
  organizations: Session['organizations'],
  csrfToken: string,
): Session => ({ user: { id, email, name, createdAt: timestamp(createdAt) }, organizations, csrfToken })

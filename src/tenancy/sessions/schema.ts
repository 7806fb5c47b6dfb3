/** The schemas of signing in and out. Source: contract 1, "Session", "User". */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import type { UserRow } from '../../../storage/tables.ts'
import type { Role } from '../../platform/http/guard/caller.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { hasPasswordLength, lengthRule, passwordLengthMax, passwordLengthMin } from './new-password.ts'

export const roles = ['owner', 'admin', 'member'] as const satisfies readonly Role[]

// the length is counted in code points
TypeRegistry.Set<TSchema>('NewPassword', (_, value) => typeof value === 'string' && hasPasswordLength(value))

/** A new password. `assertGoodPassword` checks the other rules. */
export const NewPassword = Type.Unsafe<string>({
  [Kind]: 'NewPassword',
  type: 'string',
  minLength: passwordLengthMin,
  maxLength: passwordLengthMax,
  description: `A password of ${passwordLengthMin} to ${passwordLengthMax} characters, not one of the most common ones, and not the email address.`,
  fault: lengthRule,
})

export const SignInBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254, description: 'The e-mail address; case-insensitive.' }),
    password: Type.String({ description: 'The password.' }),
    organization: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description:
          'The slug of an organization: only its members can sign in. For an address that several accounts claim.',
        examples: ['default'],
      }),
    ),
  },
  { $id: 'SignIn', description: 'The credentials of a sign-in.' },
)
export type SignIn = Static<typeof SignInBody>

export const PasswordBody = Type.Object(
  {
    current: Type.String({ description: 'The current password.' }),
    new: NewPassword,
  },
  { $id: 'PasswordChange', description: 'A new password for the user of the session.' },
)
export type PasswordChange = Static<typeof PasswordBody>

export const SessionPath = Type.Object({ sessionId: Id('ses', 'One of your sessions.') })

export const OwnSession = Type.Object(
  {
    id: Id('ses', 'Identifies the session; not a credential.'),
    createdAt: Timestamp('When you signed in.'),
    lastUsedAt: Timestamp('The last use, to the minute.'),
    expiresAt: Timestamp('When it ends if it is not used before.'),
    address: nullable(Type.String({ description: 'The client address of the last use, to the minute.' })),
    userAgent: nullable(Type.String({ description: "The browser's `User-Agent` at the sign-in; not verified." })),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
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
        role: oneOf(roles, { description: "The user's role there." }),
      }),
      { description: "The user's organizations, oldest membership first." },
    ),
    csrfToken: Type.String({ description: 'The CSRF token, sent with changes as `X-CSRF-Token`.' }),
  },
  { $id: 'Session', description: "The signed-in user and the user's organizations." },
)
export type Session = Static<typeof Session>

/** A session for its user. */
export const presentSession = (
  { id, email, name, created_at: createdAt }: UserRow,
  organizations: Session['organizations'],
  csrfToken: string,
): Session => ({ user: { id, email, name, createdAt: timestamp(createdAt) }, organizations, csrfToken })

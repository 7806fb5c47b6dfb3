/** The schemas of members. Source: contract 1, "Membership", "Invitations". */
import { type Static, Type } from '@sinclair/typebox'
import { Id, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { NewInvitation } from '../invitations/schema.ts'

const Role = oneOf(['owner', 'admin', 'member'], {
  description: 'owner: everything; admin: all but deletion and billing; member: what access grants give in Projects.',
})

/** An address, case-insensitive: `name@host`. */
const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+@[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'An email address; case-insensitive.',
  fault: 'Must be an email address, such as ada@example.com.',
  examples: ['ada@example.com'],
})

export const Member = Type.Object(
  {
    userId: Id('usr'),
    email: Type.String(),
    emailVerified: Type.Boolean({
      description: 'Whether the user has verified the address.',
    }),
    name: Type.String(),
    role: Role,
    createdAt: Timestamp(),
  },
  { $id: 'Member', description: 'A user in an organization.' },
)
export type Member = Static<typeof Member>

export const Invited = Type.Object(
  { invitation: NewInvitation },
  { $id: 'InvitedMember', description: 'A person who becomes a member by accepting the invitation.' },
)
export type Invited = Static<typeof Invited>

export const MemberBody = Type.Object(
  {
    email: Type.Optional(Email),
    userId: Type.Optional(Id('usr', 'An account (`usr_…`); either this or `email`.')),
    role: Role,
  },
  { $id: 'NewMember', description: 'An address or an account to invite.' },
)
export type MemberBody = Static<typeof MemberBody>

export const MemberPatch = Type.Object(
  { role: Type.Optional(Role) },
  { $id: 'MemberChanges', description: 'The new role; without one nothing changes.' },
)
export type MemberPatch = Static<typeof MemberPatch>

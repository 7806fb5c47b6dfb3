/** Members in the API document. Source: contract 1, "Membership", "Invitations". */
import { type Static, Type } from '@sinclair/typebox'
import { Id, oneOf, Timestamp } from '../../http/schema.ts'

const Role = oneOf(['owner', 'admin', 'member'], {
  description: 'owner: everything; admin: all but deletion and billing; member: what access grants give in Projects.',
})

/** An address, in whatever case: `name@host`. */
const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+@[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'An email address; upper and lower case are the same.',
  examples: ['ada@example.com'],
})

export const Member = Type.Object(
  { userId: Id('usr'), email: Type.String(), name: Type.String(), role: Role, createdAt: Timestamp() },
  { $id: 'Member', description: 'A user in an organization.' },
)
export type Member = Static<typeof Member>

export const InvitedMember = Type.Object(
  {
    userId: Type.Null(),
    email: Type.String(),
    name: Type.Null(),
    role: Role,
    createdAt: Timestamp(),
    invitation: Type.Object({
      id: Id('ivt'),
      token: Type.String({ description: 'For the invited person; shown this once.' }),
      expiresAt: Timestamp(),
    }),
  },
  { $id: 'InvitedMember', description: 'Somebody without a user, who is a member once the invitation is accepted.' },
)
export type InvitedMember = Static<typeof InvitedMember>

export const AddedMember = Type.Union([Member, InvitedMember], {
  $id: 'AddedMember',
  description: 'A member, or somebody who is invited.',
})

export const MemberBody = Type.Object(
  {
    email: Type.Optional(Email),
    userId: Type.Optional(Id('usr', 'A user (`usr_…`); either this or `email`.')),
    role: Role,
  },
  { $id: 'NewMember', description: 'A user, or an address to invite.' },
)
export type MemberBody = Static<typeof MemberBody>

export const MemberPatch = Type.Object({ role: Role }, { $id: 'MemberChanges', description: 'Another role.' })
export type MemberPatch = Static<typeof MemberPatch>

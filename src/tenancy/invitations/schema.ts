/** The schemas of invitations. Source: contract 1, "Invitations". */
import { type Static, Type } from '@sinclair/typebox'
import type { InvitationRow } from '../../../storage/tables.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { NewPassword, roles } from '../sessions/schema.ts'

export const InvitationPath = Type.Object({ ...OrganizationPath.properties, invitationId: Id('ivt') })

export const Invitation = Type.Object(
  {
    id: Id('ivt'),
    email: nullable(Type.String({ description: 'The invited address in lower case; null for an account.' })),
    userId: Type.Optional(Id('usr', 'The invited account, if it is for an account.')),
    role: oneOf(roles, { description: 'The role that the user gets.' }),
    invitedBy: Id('usr', 'The user who invited.'),
    createdAt: Timestamp('When the invitation was created.'),
    expiresAt: Timestamp('When the invitation expires.'),
  },
  { $id: 'Invitation', description: 'An invitation that has not been accepted yet.' },
)
export type Invitation = Static<typeof Invitation>

export const NewInvitation = Type.Object(
  {
    id: Id('ivt'),
    email: nullable(Type.String({ description: 'The address in lower case; null for an account.' })),
    role: oneOf(roles, { description: 'The role that the user gets.' }),
    expiresAt: Timestamp('When the invitation expires.'),
    token: Type.Optional(
      Type.String({
        description: 'To pass on to the invited person; shown only once, and only if the server cannot send mail.',
      }),
    ),
  },
  { $id: 'NewInvitation', description: 'A new invitation.' },
)
export type NewInvitation = Static<typeof NewInvitation>

const token = Type.String({ minLength: 1, maxLength: 255, description: "The invitation's token." })

export const NewAccountBody = Type.Object(
  { token, name: Name('The name of the new user.'), password: NewPassword },
  { $id: 'InvitationAcceptance', description: 'The token of the invitation, and the new account.' },
)
export type NewAccountRequest = Static<typeof NewAccountBody>

export const JoiningBody = Type.Object(
  { token },
  { $id: 'InvitationToken', description: 'The token of the invitation.' },
)

/** An invitation without its token. */
export const presentInvitation = (
  row: Pick<InvitationRow, 'id' | 'email' | 'user_id' | 'role' | 'invited_by' | 'created_at' | 'expires_at'>,
): Invitation => ({
  id: row.id,
  email: row.email,
  ...(row.user_id !== null && { userId: row.user_id }),
  role: row.role,
  invitedBy: row.invited_by,
  createdAt: timestamp(row.created_at),
  expiresAt: timestamp(row.expires_at),
})

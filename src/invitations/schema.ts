/** The shapes of invitations. Source: contract 1, "Invitations". */
import { type Static, Type } from '@sinclair/typebox'
import type { InvitationRow } from '../../storage/tables.ts'
import { OrganizationPath } from '../http/paths.ts'
import { Id, Name, oneOf, Timestamp } from '../http/schema.ts'
import { timestamp } from '../http/timestamp.ts'
import { NewPassword, roles } from '../sessions/schema.ts'

export const InvitationPath = Type.Object({ ...OrganizationPath.properties, invitationId: Id('ivt') })

export const Invitation = Type.Object(
  {
    id: Id('ivt'),
    email: Type.String({ description: 'Who is invited: an address in lower case.' }),
    role: oneOf(roles, { description: 'What the user is to be.' }),
    invitedBy: Id('usr', 'The user who invited.'),
    createdAt: Timestamp('When the invitation was made.'),
    expiresAt: Timestamp('Until when it can be accepted.'),
  },
  { $id: 'Invitation', description: 'Somebody who was asked to join, and has not yet.' },
)
export type Invitation = Static<typeof Invitation>

export const AcceptanceBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 255, description: "The invitation's token." }),
    name: Name('The name of the new user.'),
    password: NewPassword,
  },
  { $id: 'InvitationAcceptance', description: 'The token of the invitation, and who is to be.' },
)
export type AcceptanceRequest = Static<typeof AcceptanceBody>

/** An invitation as members see it; never its token. */
export const presentInvitation = (
  row: Pick<InvitationRow, 'id' | 'email' | 'role' | 'invited_by' | 'created_at' | 'expires_at'>,
): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  createdAt: timestamp(row.created_at),
  expiresAt: timestamp(row.expires_at),
})

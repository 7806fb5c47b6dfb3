/** The shapes of verifications and password resets. Source: contract 1, "Invitations", "Session". */
import { type Static, Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../platform/http/schema.ts'
import { NewPassword } from '../sessions/schema.ts'

export const TokenPath = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 255, description: 'The token of the mail.' }),
})

export const Address = Type.Object(
  {
    email: Type.String({ description: 'The address of the account, in lower case.' }),
    verifiedAt: nullable(Timestamp('When it was verified; null: it proves nothing.')),
    mail: Type.Boolean({ description: 'Whether the server can send mail to it.' }),
  },
  { $id: 'AccountAddress', description: 'The address of an account.' },
)
export type Address = Static<typeof Address>

export const ResetOrder = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254, description: 'The address, in upper or lower case.' }) },
  { $id: 'PasswordResetOrder', description: 'Whose password is to be set anew.' },
)

export const ResetOrdered = Type.Object(
  { mail: Type.Boolean({ description: 'Whether the server sends mail at all. It says nothing about the address.' }) },
  { $id: 'PasswordResetOrdered', description: 'What became of the order, the same for every address.' },
)

export const ResetBody = Type.Object(
  { password: NewPassword },
  { $id: 'PasswordReset', description: 'The new password.' },
)
export type ResetRequest = Static<typeof ResetBody>

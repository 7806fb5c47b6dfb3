/** The schemas of verifications and password resets. Source: contract 1, "Invitations", "Session". */
import { type Static, Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../platform/http/schema.ts'
import { NewPassword } from '../sessions/schema.ts'

export const TokenPath = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 255, description: 'The token in the mail.' }),
})

export const Address = Type.Object(
  {
    email: Type.String({ description: 'The address of the account, in lower case.' }),
    verifiedAt: nullable(Timestamp('When it was verified; null if it was not.')),
    mail: Type.Boolean({ description: 'Whether the server can send mail to it.' }),
  },
  { $id: 'AccountAddress', description: 'The address of an account.' },
)
export type Address = Static<typeof Address>

export const ResetOrder = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254, description: 'The e-mail address; case-insensitive.' }) },
  { $id: 'PasswordResetOrder', description: 'The account whose password is reset.' },
)

export const ResetOrdered = Type.Object(
  { mail: Type.Boolean({ description: 'Whether the server sends mail. Reveals nothing about the address.' }) },
  { $id: 'PasswordResetOrdered', description: 'The answer to the request, the same for every address.' },
)

export const ResetBody = Type.Object(
  { password: NewPassword },
  { $id: 'PasswordReset', description: 'The new password.' },
)
export type ResetRequest = Static<typeof ResetBody>

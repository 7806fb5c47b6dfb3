/** The schemas of device authorizations. Source: contract 10, "CLI"; RFC 8628. */
import { Type } from '@sinclair/typebox'
import { Name, nullable, Timestamp } from '../../platform/http/schema.ts'
import { CreateKeyBody } from '../api-keys/schema.ts'

const userCode = Type.String({
  minLength: 8,
  maxLength: 20,
  description: 'The code that the program shows; case, spaces and dashes do not matter.',
  examples: ['BCDF-GHJK'],
})

export const NewDeviceAuthorization = Type.Object(
  { clientName: Name('The name of the program and its machine, which becomes the name of the new key.') },
  { $id: 'NewDeviceAuthorization', description: 'A program that asks for an API key.' },
)

export const DeviceAuthorization = Type.Object(
  {
    deviceCode: Type.String({
      description: 'The secret that the program exchanges for its key. Shown only here; keep it secret.',
    }),
    userCode: Type.String({ description: 'The code that the person compares or types.', examples: ['BCDF-GHJK'] }),
    verificationUrl: Type.String({ description: 'The page of the console on which a person types the code.' }),
    verificationUrlComplete: Type.String({ description: 'The same page with the code.' }),
    expiresAt: Timestamp('Ten minutes from now. An approval gives the program at least five more.'),
    intervalSeconds: Type.Integer({ description: 'How long to wait between two exchanges.' }),
  },
  { $id: 'DeviceAuthorization', description: 'The codes of a program that waits for its API key.' },
)
export type DeviceAuthorization = typeof DeviceAuthorization.static

export const PendingDeviceAuthorization = Type.Object(
  {
    userCode: Type.String({ examples: ['BCDF-GHJK'] }),
    clientName: Type.String({ description: 'The name that the program gives itself, which is not verified.' }),
    address: nullable(Type.String({ description: 'The address from which the program sent the request.' })),
    createdAt: Timestamp("The time of the program's request."),
    expiresAt: Timestamp('Until when it can be approved.'),
  },
  { $id: 'PendingDeviceAuthorization', description: 'A program that waits for a person.' },
)
export type PendingDeviceAuthorization = typeof PendingDeviceAuthorization.static

export const UserCodePath = Type.Object({ userCode })

export const DeviceApproval = Type.Omit(CreateKeyBody, ['name'], {
  $id: 'DeviceApproval',
  description: "The operations, the scope and the expiry of the program's key.",
})
export type DeviceApproval = typeof DeviceApproval.static

export const DeviceCodeBody = Type.Object(
  { deviceCode: Type.String({ minLength: 1, maxLength: 255 }) },
  { $id: 'DeviceCode', description: 'The secret code of the program.' },
)

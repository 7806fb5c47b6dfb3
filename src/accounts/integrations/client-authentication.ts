/** Client authentication at a token endpoint: HTTP Basic. Source: contract 4, precise points; RFC 6749, 2.3.1. */
import type { ProviderClient } from './client-secrets.ts'

/** As in a form: a colon in the id must not be taken for the end of it. */
const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** The value of an `Authorization` header. It holds the secret: for the request only. */
export const basicAuthentication = ({ clientId, clientSecret }: ProviderClient): string =>
  `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret.reveal())}`).toString('base64')}`

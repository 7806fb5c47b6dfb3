/**
 * Asks a provider whether it knows a client: with an authorization code that cannot be one, so that nothing can come of it
 * but a refusal of the code, or of the client. Source: requirement 4.8, rule 1; contract 4, "Probe"; trust 2.5.
 */
import { randomBytes } from 'node:crypto'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Preset } from '../presets/preset.ts'
import { basicAuthentication } from './client-authentication.ts'
import type { ProviderClient } from './client-secrets.ts'
import { outcomeOfAnswer, outcomeOfError, type ProbeOutcome } from './outcome.ts'

interface ProbeParts {
  outbound: OutboundClient
  clock: Pick<Clock, 'now'>
  /** For everything, from the name to the end of the answer. */
  timeoutMs?: number
}

const timeoutMsMax = 10_000
const answerBytesMax = 64 * 1024
const random = () => randomBytes(32).toString('base64url')

export class ClientProbe {
  constructor(private readonly parts: ProbeParts) {}

  /** One request; how it ends is an outcome. */
  ask(
    { tokenEndpoint, redirectUri }: Pick<Preset, 'tokenEndpoint' | 'redirectUri'>,
    client: ProviderClient,
  ): Promise<ProbeOutcome> {
    const { outbound, clock, timeoutMs = timeoutMsMax } = this.parts
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code: `probe_${random()}`,
      redirect_uri: redirectUri,
      code_verifier: random(),
    })
    const request = {
      url: tokenEndpoint,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        authorization: basicAuthentication(client),
      },
      body: form.toString(),
      timeoutMs,
      bodyBytesMax: answerBytesMax,
      redirects: 'answer' as const,
    }
    return outbound.request(request).then((answer) => outcomeOfAnswer(answer, clock.now()), outcomeOfError)
  }
}

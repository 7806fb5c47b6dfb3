/**
 * `webhooks listen`: sends signed deliveries to a program on this machine, which the server need not be able to reach.
 */
import type { Command } from 'commander'
import { Webhook } from 'standardwebhooks'
import { reasonOf } from '../../sdk/src/client/errors.ts'
import type { Event } from '../../sdk/src/index.ts'
import { examples, type Running, several, speaks, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace } from '../names.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { styled, time } from '../terminal/text.ts'
import { checkEventTypes, eventsAfter } from './logs.ts'

interface ListenOptions {
  to: string
  events?: string[]
  secret?: string
}

/** As the server signs them. */
const timeoutMs = 15_000

function checkedTarget(to: string): string {
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol)) {
    throw usageError(`${JSON.stringify(to)} is not an address to post to, such as http://localhost:8080/hooks.`)
  }
  return to
}

function signerOf(secret: string): Webhook {
  try {
    return new Webhook(secret)
  } catch {
    throw usageError('The secret must have the form of Standard Webhooks: whsec_ and base64.')
  }
}

const newSecret = () => `whsec_${crypto.getRandomValues(new Uint8Array(32)).toBase64()}`

interface Outcome {
  status: number | null
  error: string | null
}

/** Posts one event, as a webhook of the Environment would. */
async function deliver(event: Event, to: string, signer: Webhook, signal: AbortSignal): Promise<Outcome> {
  const body = JSON.stringify(event)
  const at = new Date()
  try {
    const answer = await fetch(to, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'webhook-id': event.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signer.sign(event.id, at, body),
        'x-delivery-attempt': '1',
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body?.cancel()
    return { status: answer.status, error: null }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { status: null, error: reasonOf(error) }
  }
}

const isTaken = ({ status }: Outcome) => status !== null && status >= 200 && status < 300

async function listen(
  context: Context,
  { to, events, secret = newSecret() }: ListenOptions,
  on: string,
): Promise<void> {
  const target = checkedTarget(to)
  const signer = signerOf(secret)
  const troupe = context.client()
  const { project, environment } = await findPlace(troupe, on)
  const place = { projectId: project.id, environmentId: environment.id }
  if (events) await checkEventTypes(troupe, events)
  const { resumeCursor } = await troupe.events.rebaseline(place)
  const { output } = context
  output.item({ listening: on, to: target, secret }, () => `Listening to ${on}. Verify with the secret ${secret}`)
  for await (const event of eventsAfter(context, troupe, place, resumeCursor)) {
    if (events && !events.includes(event.type)) continue
    const outcome = await deliver(event, target, signer, context.signal)
    const result = styled(isTaken(outcome) ? 'green' : 'red', outcome.error ?? String(outcome.status))
    output.item(
      { event, ...outcome },
      () => `${styled('dim', time(event.timestamp))}  ${event.type}  ${event.id}  ${result}`,
    )
  }
}

export function addWebhooks(program: Command, running: Running): void {
  const webhooks = program.command('webhooks').summary('try webhooks on this machine').description('Webhooks.')
  speaks(webhooks.command('listen'))
    .description(
      'Posts the events of an Environment to a program on this machine, signed like webhooks, until Ctrl-C. The server need not reach this machine, and stores nothing. An event that the program does not accept is not sent again.',
    )
    .argument('<place>', 'PROJECT/KIND')
    .requiredOption('--to <url>', 'the address to post to, such as http://localhost:8080/hooks')
    .option('--events <types>', 'only these types, separated by commas', several)
    .option('--secret <secret>', 'whsec_… (default: a new one, which is printed)')
    .addHelpText(
      'after',
      examples(
        'troupe webhooks listen shop/development --to http://localhost:8080/hooks --events run.completed,run.failed',
      ),
    )
    .action(works<[string], ListenOptions>(running, listen))
}

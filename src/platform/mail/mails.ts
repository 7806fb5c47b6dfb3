/** Mail of this server: tokens and lanes. Exists only if a mail server is configured (`TROUPE_SMTP_URL`). */
import { createHmac } from 'node:crypto'
import type { Store } from '../../../storage/store.ts'
import type { Members } from '../members/members.ts'
import type { Logger } from '../operating/logger.ts'
import type { Secret } from '../operating/secret.ts'
import { deriveKey, type KeyRing } from '../secrets/keyring.ts'
import type { Clock } from '../time/clock.ts'
import { defaultSender, senderIn } from './address.ts'
import type { PathOf } from './notice-messages.ts'
import { Notices } from './notices.ts'
import { Lane, type MailSource } from './outbox.ts'
import { Smtp } from './smtp.ts'
import { accountMails, invitationMails, noticeMails, type SourceParts } from './sources.ts'

interface MailsParts {
  config: { smtpUrl: Secret | null; mailFrom: string | null }
  ring: KeyRing
  store: Store
  clock: Clock
  logger: Logger
  members: Pick<Members, 'isShared' | 'onChange'>
  /** The console's origin; known once the server listens. */
  consoleUrl(): string
  /** The path of a console page. */
  pathOf: PathOf
}

export class Mails {
  readonly invitations: Lane
  readonly accounts: Lane
  /** Notices that users get without a request. */
  readonly notices: Notices
  readonly #lanes: readonly Lane[]

  private constructor(
    private readonly key: Uint8Array,
    store: Store,
    lane: (source: (parts: SourceParts) => MailSource) => Lane,
  ) {
    this.invitations = lane(invitationMails)
    this.accounts = lane(accountMails)
    const notices = lane(noticeMails)
    this.notices = new Notices(store, notices.wake)
    this.#lanes = [this.invitations, this.accounts, notices]
  }

  /** Null if no mail server is configured. */
  static open({ config, ring, store, clock, logger, members, consoleUrl, pathOf }: MailsParts): Mails | null {
    const { smtpUrl, mailFrom } = config
    if (smtpUrl === null) return null
    const key = deriveKey(ring, 'mail-tokens')
    const from = () => (mailFrom === null ? undefined : senderIn(mailFrom)) ?? defaultSender(consoleUrl())
    const post = new Smtp({ url: smtpUrl, from })
    const parts: SourceParts = { store, consoleUrl, pathOf, tokenOf: (id) => mailToken(key, id) }
    return new Mails(key, store, (source) => new Lane({ store, clock, logger, members, post, source: source(parts) }))
  }

  /** The token in the mail of this record: the same at each attempt, and stored only as its hash. */
  tokenOf(id: string): string {
    return mailToken(this.key, id)
  }

  start(): void {
    for (const lane of this.#lanes) lane.start()
  }

  /** Starts no more mails; waits up to `graceMs` for those in progress, and leaves the others for a later attempt. */
  async stop(graceMs: number): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, graceMs)
    await Promise.race([Promise.all(this.#lanes.map((lane) => lane.stop())), late.promise])
    clearTimeout(timer)
  }
}

/** 256 bits that cannot be derived without the master key. */
const mailToken = (key: Uint8Array, id: string): string =>
  createHmac('sha256', key).update(`mail\n${id}`).digest('base64url')

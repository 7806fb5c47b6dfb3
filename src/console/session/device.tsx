/** Approves an API key for a program, such as the command line: `/device?code=…`, which `troupe login` opens. */
import { useState } from 'react'
import { Link, useSearch } from 'wouter'
import { createApi, sent } from '../api/client.ts'
import { Button } from '../ui/forms/button.tsx'
import { Form, SelectField, TextField } from '../ui/forms/form.tsx'
import { Loading } from '../ui/states.tsx'
import { useAttempt } from './attempt.ts'
import { EntrancePage, type EntranceParts, useSessionStatus } from './entrance.tsx'
import type { Session } from './session.ts'
import { SignInForm } from './sign-in.tsx'

/** Default lifetime of a key of the command line, in days. */
const lives = [
  { days: 1, label: 'A day' },
  { days: 7, label: 'A week' },
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
]
const defaultDays = 90
const dayMs = 86_400_000

const about = 'A program on one of your machines requests an API key.'

export function Device(parts: EntranceParts) {
  const status = useSessionStatus(parts.gatekeeper)
  const code = new URLSearchParams(useSearch()).get('code') ?? ''
  if (status.is === 'unknown') return <Loading label="Loading the console" rows={0} />
  if (status.is === 'signedIn' && !status.over) return <Consent {...parts} code={code} session={status.session} />
  return (
    <EntrancePage title="Sign in" about={about}>
      <SignInForm signIn={(...given) => parts.gatekeeper.signIn(...given)} />
    </EntrancePage>
  )
}

type ConsentProps = EntranceParts & { code: string; session: Session }

function Consent({ code, session, gatekeeper, origin, fetch }: ConsentProps) {
  const { user, organizations } = session
  const [asking, setAsking] = useState<{ code: string; clientName: string; address: string | null }>()
  const [slug, setSlug] = useState(organizations[0]?.slug ?? '')
  const [decided, setDecided] = useState<'approved' | 'denied'>()
  const attempt = useAttempt()
  const authorizations = () =>
    createApi({ origin, fetch, gate: gatekeeper, organization: slug }).v1['device-authorizations']

  if (decided) return <Decided decided={decided} slug={slug} />
  if (organizations.length === 0) {
    return (
      <EntrancePage title="No organization" about="A key belongs to an organization, and you are not a member of one.">
        <Link href="/">Go to the console</Link>
      </EntrancePage>
    )
  }
  const organization = (
    <SelectField
      name="organization"
      label="Organization"
      value={slug}
      onChange={(event) => setSlug(event.target.value)}
    >
      {organizations.map(({ slug: each, name }) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </SelectField>
  )
  if (!asking) {
    const look = (text: (name: string) => string) =>
      attempt.run(async () => {
        const { data } = await sent(authorizations()({ userCode: text('code') }).get())
        setAsking({ code: data.userCode, clientName: data.clientName, address: data.address })
      })
    return (
      <EntrancePage title="Sign in a program" about={`${about} You are signed in as ${user.email}.`}>
        <Form action={attempt} onSubmit={look} submit="Continue">
          <TextField
            name="code"
            label="Code"
            hint="The eight letters that the program shows."
            defaultValue={code}
            autoComplete="off"
            required
          />
          {organization}
        </Form>
      </EntrancePage>
    )
  }
  const approve = (text: (name: string) => string) =>
    attempt.run(async () => {
      const expiresAt = new Date(Date.now() + Number(text('days')) * dayMs).toISOString()
      await sent(authorizations()({ userCode: asking.code }).approve.post({ operations: ['*'], expiresAt }))
      setDecided('approved')
    })
  const deny = () =>
    attempt.run(async () => {
      await sent(authorizations()({ userCode: asking.code }).deny.post())
      setDecided('denied')
    })
  return (
    <EntrancePage
      title="Approve this sign-in?"
      about={
        <>
          <strong>{asking.clientName}</strong> requests an API key with all of your permissions
          {asking.address === null ? '.' : `, from ${asking.address}.`} Approve it only if you started it yourself and
          it shows the code <strong>{asking.code}</strong>.
        </>
      }
    >
      <Form
        action={attempt}
        onSubmit={approve}
        submit="Approve"
        beside={
          <Button tone="quiet" onClick={() => void deny()}>
            Deny
          </Button>
        }
      >
        {organization}
        <SelectField name="days" label="Valid for" defaultValue={defaultDays}>
          {lives.map(({ days, label }) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </SelectField>
      </Form>
    </EntrancePage>
  )
}

const Decided = ({ decided, slug }: { decided: 'approved' | 'denied'; slug: string }) => (
  <EntrancePage
    title={decided === 'approved' ? 'Approved' : 'Denied'}
    about={
      decided === 'approved'
        ? 'Return to the program: it receives its key in a moment. You can revoke the key under API keys.'
        : 'The program receives no key.'
    }
  >
    <Link href={`/o/${slug}/settings/keys`}>API keys</Link>
  </EntrancePage>
)

/** Accepts an invitation with a new account or the current one. `/invitation?token=…`, or `/invitation#…`. */
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { sent } from '../api/client.ts'
import { Button } from '../ui/forms/button.tsx'
import { Form, TextField } from '../ui/forms/form.tsx'
import { Loading } from '../ui/states.tsx'
import { useAttempt } from './attempt.ts'
import { apiOf, EntrancePage, type EntranceParts, useSessionStatus, useToken } from './entrance.tsx'
import type { Session } from './session.ts'
import { SignInForm } from './sign-in.tsx'

export function Invitation(parts: EntranceParts) {
  const token = useToken()
  const status = useSessionStatus(parts.gatekeeper)
  const [hasAccount, setHasAccount] = useState(false)
  if (status.is === 'unknown') return <Loading label="Loading the console" rows={0} />
  if (status.is === 'signedIn' && !status.over) {
    return <WithThisAccount {...parts} token={token} session={status.session} />
  }
  if (hasAccount) return <WithMyAccount {...parts} onBack={() => setHasAccount(false)} />
  return <WithNewAccount {...parts} token={token} onHasAccount={() => setHasAccount(true)} />
}

const TokenField = ({ token }: { token: string }) => (
  <TextField name="token" label="Invitation" defaultValue={token} required />
)

function WithNewAccount({
  token,
  onHasAccount,
  ...parts
}: EntranceParts & { token: string; onHasAccount: () => void }) {
  const [, navigate] = useLocation()
  const attempt = useAttempt()
  const accept = (text: (name: string) => string, form: FormData) =>
    attempt.run(async () => {
      const body = { token: text('token'), name: text('name'), password: String(form.get('password')) }
      const { data } = await sent(apiOf(parts).auth.invitations.post(body))
      parts.gatekeeper.begin(data)
      navigate('/', { replace: true })
    })
  const isKnown = attempt.failure?.code === 'account_exists'
  return (
    <EntrancePage
      title="Join Troupe"
      about="You are invited to an organization. Choose your name and a password for a new account."
    >
      <Form
        action={attempt}
        onSubmit={accept}
        submit="Join"
        beside={
          <Button tone={isKnown ? 'primary' : 'quiet'} onClick={onHasAccount}>
            I have an account
          </Button>
        }
      >
        <TokenField token={token} />
        <TextField name="name" label="Your name" autoComplete="name" required />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          hint="At least 8 characters."
          required
        />
      </Form>
    </EntrancePage>
  )
}

/** Signs in, then continues with that account. */
const WithMyAccount = ({ gatekeeper, onBack }: EntranceParts & { onBack: () => void }) => (
  <EntrancePage title="Join Troupe" about="Sign in to accept the invitation with your account.">
    <SignInForm signIn={(...given) => gatekeeper.signIn(...given)} />
    <Button tone="quiet" onClick={onBack}>
      Create a new account instead
    </Button>
  </EntrancePage>
)

function WithThisAccount({ token, session, ...parts }: EntranceParts & { token: string; session: Session }) {
  const [, navigate] = useLocation()
  const attempt = useAttempt()
  const { user } = session
  const join = (text: (name: string) => string) =>
    attempt.run(async () => {
      const { data } = await sent(apiOf(parts).auth.invitations.accept.post({ token: text('token') }))
      const before = new Set(session.organizations.map(({ id }) => id))
      const joined = data.organizations.find(({ id }) => !before.has(id))
      parts.gatekeeper.begin(data)
      navigate(joined ? `/o/${joined.slug}` : '/', { replace: true })
    })
  return (
    <EntrancePage
      title="Join an organization"
      about={
        <>
          You are signed in as {user.name} (<strong>{user.email}</strong>).
        </>
      }
    >
      <Form
        action={attempt}
        onSubmit={join}
        submit="Join with this account"
        beside={
          <Button tone="quiet" onClick={() => void parts.gatekeeper.signOut()}>
            Use another account
          </Button>
        }
      >
        <TokenField token={token} />
      </Form>
      <Link href="/">Decline</Link>
    </EntrancePage>
  )
}

/** Verifying the address of an account, with the link of a mail: `/verification?token=…`. It takes the account's session. */
import { useState } from 'react'
import { Link } from 'wouter'
import { sent } from '../api/client.ts'
import { Form } from '../ui/forms/form.tsx'
import { Loading } from '../ui/states.tsx'
import { useAttempt } from './attempt.ts'
import { apiOf, EntrancePage, type EntranceParts, useSessionStatus, useToken } from './entrance.tsx'
import { SignInForm } from './sign-in.tsx'

export function Verification(parts: EntranceParts) {
  const token = useToken()
  const status = useSessionStatus(parts.gatekeeper)
  const attempt = useAttempt()
  const [verified, setVerified] = useState<string>()
  if (status.is === 'unknown') return <Loading label="Loading the console" rows={0} />
  if (verified !== undefined) {
    return (
      <EntrancePage title="The address is verified" about={`${verified} is the address of your account.`}>
        <Link href="/">Go to the console</Link>
      </EntrancePage>
    )
  }
  if (status.is !== 'signedIn' || status.over) {
    return (
      <EntrancePage title="Verify your address" about="Sign in with the account that asked for the mail.">
        <SignInForm signIn={(...given) => parts.gatekeeper.signIn(...given)} />
      </EntrancePage>
    )
  }
  if (token === '' || attempt.failure?.status === 404) {
    return (
      <EntrancePage
        title="This link does not work"
        about={`It was used already, is older than a day, or was asked for by another account than the one that is signed in (${status.session.user.email}).`}
      >
        <Link href="/">Go to the console</Link>
      </EntrancePage>
    )
  }
  const verify = () =>
    attempt.run(async () => {
      const { data } = await sent(apiOf(parts).auth.verifications({ token }).put())
      setVerified(data.email)
    })
  return (
    <EntrancePage title="Verify your address" about={`Say that ${status.session.user.email} is yours.`}>
      <Form action={attempt} onSubmit={verify} submit="Verify the address">
        {null}
      </Form>
    </EntrancePage>
  )
}

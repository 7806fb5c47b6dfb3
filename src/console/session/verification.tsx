/** Verifies the account's email address by a mailed link: `/verification?token=…`. Requires the account's session. */
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
      <EntrancePage title="Email verified" about={`${verified} is now verified.`}>
        <Link href="/">Go to the console</Link>
      </EntrancePage>
    )
  }
  if (status.is !== 'signedIn' || status.over) {
    return (
      <EntrancePage title="Verify your email" about="Sign in with the account that requested the link.">
        <SignInForm signIn={(...given) => parts.gatekeeper.signIn(...given)} />
      </EntrancePage>
    )
  }
  if (token === '' || attempt.failure?.status === 404) {
    return (
      <EntrancePage
        title="This link does not work"
        about={`It has already been used, has expired, or belongs to another account than ${status.session.user.email}.`}
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
    <EntrancePage title="Verify your email" about={`Confirm that ${status.session.user.email} is yours.`}>
      <Form action={attempt} onSubmit={verify} submit="Verify email">
        {null}
      </Form>
    </EntrancePage>
  )
}

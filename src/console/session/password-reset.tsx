/** Sets a new password by a mailed link: `/password-reset?token=…`. */
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { sent } from '../api/client.ts'
import { ApiFailure } from '../api/failure.ts'
import { Button } from '../ui/forms/button.tsx'
import { Form, TextField } from '../ui/forms/form.tsx'
import { useAttempt } from './attempt.ts'
import { apiOf, EntrancePage, type EntranceParts, useToken } from './entrance.tsx'

const expired = <Link href="/forgot-password">Request another link</Link>

export function PasswordReset(parts: EntranceParts) {
  const token = useToken()
  const [, navigate] = useLocation()
  const attempt = useAttempt()
  const [done, setDone] = useState(false)
  const reset = (_: unknown, form: FormData) =>
    attempt.run(async () => {
      const password = String(form.get('password'))
      if (password !== String(form.get('repeated'))) throw differs()
      await sent(apiOf(parts).auth['password-resets']({ token }).put({ password }))
      setDone(true)
    })
  if (done) {
    const signIn = async () => {
      // the reset has ended this browser's session too
      await parts.gatekeeper.check()
      navigate('/', { replace: true })
    }
    return (
      <EntrancePage title="Password changed" about="All sessions of the account have ended. API keys keep working.">
        <Button tone="primary" onClick={() => void signIn()}>
          Sign in
        </Button>
      </EntrancePage>
    )
  }
  if (token === '' || attempt.failure?.status === 404) {
    return (
      <EntrancePage title="This link does not work" about="It has already been used, or has expired.">
        {expired}
      </EntrancePage>
    )
  }
  return (
    <EntrancePage title="Set a new password" about="All sessions of your account end; API keys keep working.">
      <Form action={attempt} onSubmit={reset} submit="Set password">
        <TextField
          name="password"
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          hint="At least 8 characters."
          required
        />
        <TextField name="repeated" label="Confirm password" type="password" autoComplete="new-password" required />
      </Form>
    </EntrancePage>
  )
}

const differs = () =>
  new ApiFailure({
    status: 422,
    code: 'validation_failed',
    message: 'The request is not valid.',
    details: { issues: [{ path: '/body/repeated', message: 'The passwords do not match.' }] },
  })

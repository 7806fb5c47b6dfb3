/** Sign-in page. It is shown at the requested address, so that the user continues there. */
import { Link } from 'wouter'
import { ApiFailure } from '../api/failure.ts'
import { ThemeSwitch } from '../shell/account-menu.tsx'
import { Mark } from '../shell/mark.tsx'
import { Form, TextField } from '../ui/forms/form.tsx'
import { useAttempt } from './attempt.ts'

export interface SignInFormProps {
  /** `organization`: slug, for an email address with several accounts. */
  signIn: (email: string, password: string, organization?: string) => Promise<void>
  email?: string
}

/** Rewords a refused sign-in. */
const explained = (failure: ApiFailure): ApiFailure =>
  failure.code === 'invalid_credentials'
    ? new ApiFailure({ ...failure, message: 'The email or the password is wrong.' })
    : failure

export function SignInForm({ signIn, email = '' }: SignInFormProps) {
  const attempt = useAttempt(explained)
  const submit = (text: (name: string) => string, data: FormData) =>
    attempt.run(() => signIn(text('email'), String(data.get('password')), text('organization')))
  return (
    <Form action={attempt} onSubmit={submit} submit="Sign in">
      <TextField
        name="email"
        label="Email"
        type="email"
        autoComplete="username"
        defaultValue={email}
        required
        autoFocus={email === ''}
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        data-focus={email === '' ? undefined : true}
        required
      />
      <details>
        <summary>More than one account with this email?</summary>
        <TextField name="organization" label="Organization" hint="The slug of the organization to sign in to." />
      </details>
    </Form>
  )
}

export function SignInPage({ signIn }: SignInFormProps) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <header className="entrance-head">
          <Mark size={40} />
          <h1>Sign in to Troupe</h1>
          <p className="faint">Build, deploy and observe your agents.</p>
        </header>
        <SignInForm signIn={signIn} />
        <Link href="/forgot-password">Forgot your password?</Link>
        <footer className="entrance-foot">
          <p className="faint">
            The first account and its password were printed when the server first started. Programs use API keys
            instead: see the <a href="/docs">API reference</a>.
          </p>
          <ThemeSwitch />
        </footer>
      </div>
    </main>
  )
}

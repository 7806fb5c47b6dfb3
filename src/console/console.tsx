/** Root of the console: session, organization, page. */
import { Component, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Link, Redirect, Route, Router, type RouterOptions, Switch, useLocation, useParams } from 'wouter'
import { createApi } from './api/client.ts'
import { createTransport, type Fetch } from './api/transport.ts'
import { AccessProvider } from './data/context.ts'
import { createQueryClient, refresh } from './data/queries.ts'
import { NoOrganization } from './pages/no-organization.tsx'
import { at, placeIn } from './places.ts'
import { routes } from './routes.tsx'
import { Device } from './session/device.tsx'
import { type EntranceParts, useSessionStatus } from './session/entrance.tsx'
import { ForgotPassword } from './session/forgot-password.tsx'
import { Gatekeeper } from './session/gatekeeper.ts'
import { Invitation } from './session/invitation.tsx'
import { PasswordReset } from './session/password-reset.tsx'
import { SessionContext, useSession } from './session/session.ts'
import { SignInForm, type SignInFormProps, SignInPage } from './session/sign-in.tsx'
import { UnverifiedAddress } from './session/unverified.tsx'
import { Verification } from './session/verification.tsx'
import { Shell } from './shell/shell.tsx'
import { Button } from './ui/forms/button.tsx'
import { Dialog } from './ui/forms/dialog.tsx'
import { Empty, Loading, Notice } from './ui/states.tsx'
import { ToastsProvider } from './ui/toasts.tsx'

export interface ConsoleProps {
  /** Origin of the API. */
  origin: string
  fetch: Fetch
  /** Location hook of the router; the browser's address bar by default. */
  router?: RouterOptions
}

export function Console({ origin, fetch, router = {} }: ConsoleProps) {
  const [gatekeeper] = useState(() => new Gatekeeper({ origin, fetch }))
  useEffect(() => void gatekeeper.check(), [gatekeeper])
  return (
    <Router {...router}>
      <ToastsProvider>
        <Switch>
          {entrances.map(([path, Page]) => (
            <Route key={path} path={path}>
              <Page gatekeeper={gatekeeper} origin={origin} fetch={fetch} />
            </Route>
          ))}
          <Route>
            <Entrance gatekeeper={gatekeeper} origin={origin} fetch={fetch} />
          </Route>
        </Switch>
      </ToastsProvider>
    </Router>
  )
}

/** Pages reached by link, signed in or not. */
const entrances = [
  ['/invitation', Invitation],
  ['/device', Device],
  ['/forgot-password', ForgotPassword],
  ['/password-reset', PasswordReset],
  ['/verification', Verification],
] as const

/** Requires a session; keeps the address during sign-in. */
function Entrance({ gatekeeper, origin, fetch }: EntranceParts) {
  const status = useSessionStatus(gatekeeper)
  const signIn: SignInFormProps['signIn'] = (...given) => gatekeeper.signIn(...given)

  if (status.is === 'unknown') return <Loading label="Loading the console" rows={0} />
  if (status.is === 'signedOut') return <SignInPage signIn={signIn} />
  if (status.is === 'unreachable')
    return (
      <main className="entrance">
        <Notice
          icon="warning"
          title="The server is not responding"
          urgent
          action={<Button onClick={() => void gatekeeper.check()}>Try again</Button>}
        />
      </main>
    )

  const { session, over } = status
  const signedIn = {
    session,
    refresh: async () => void (await gatekeeper.check()),
    signOut: () => gatekeeper.signOut(),
  }
  return (
    <SessionContext.Provider value={signedIn}>
      {/* another user starts afresh; the same user keeps the page */}
      <Organizations key={session.user.id} gate={gatekeeper} over={over} origin={origin} fetch={fetch} />
      <Dialog title="Your session has ended" open={over}>
        <div className="stack">
          <p>Sign in again to continue.</p>
          <SignInForm signIn={signIn} email={session.user.email} />
        </div>
      </Dialog>
    </SessionContext.Provider>
  )
}

interface OrganizationsProps {
  gate: Gatekeeper
  over: boolean
  origin: string
  fetch: Fetch
}

function Organizations(parts: OrganizationsProps) {
  const { session } = useSession()
  const [path] = useLocation()
  const place = placeIn(path)
  const [first] = session.organizations
  if (!first) return <NoOrganization {...parts} />
  if (!place) {
    const billing = /^\/(?:billing(?:\/\w+)?|pricing)$/.test(path)
    const outcome = path.startsWith('/billing/') ? `?outcome=${path.slice('/billing/'.length)}` : ''
    const home = { organization: first.slug }
    return <Redirect replace to={billing ? at(home, 'settings', 'billing') + outcome : at(home)} />
  }
  const organization = session.organizations.find(
    ({ id, slug }) => slug === place.organization || id === place.organization,
  )
  if (!organization) {
    return (
      <main className="entrance">
        <Empty title="Not found" action={<Link href={at({ organization: first.slug })}>Go to {first.name}</Link>}>
          You are not a member of the organization at this address.
        </Empty>
      </main>
    )
  }
  return <Organization key={organization.id} id={organization.id} {...parts} />
}

/** One organization: its API client, query cache and pages. */
function Organization({ id, gate, over, origin, fetch }: OrganizationsProps & { id: string }) {
  const [path] = useLocation()
  const access = useMemo(() => {
    const parts = { origin, fetch, gate, organization: id }
    return { api: createApi(parts), queries: createQueryClient(), origin, fetch: createTransport(parts) }
  }, [id, gate, origin, fetch])

  // retry requests that were refused while the session was over
  const wasOver = useRef(over)
  useEffect(() => {
    if (wasOver.current && !over) void refresh(access.queries)
    wasOver.current = over
  }, [over, access])

  return (
    <AccessProvider access={access}>
      <Shell place={placeIn(path)!}>
        <UnverifiedAddress />
        <Broken key={path}>
          <Suspense fallback={<Loading />}>
            <Pages />
          </Suspense>
        </Broken>
      </Shell>
    </AccessProvider>
  )
}

function Pages() {
  return (
    <Switch>
      {routes.map(({ path, page: Page }) => (
        <Route key={path} path={path}>
          <WithIds>
            <Page />
          </WithIds>
        </Route>
      ))}
      <Route>
        <NothingHere />
      </Route>
    </Switch>
  )
}

const NothingHere = () => <Empty title="Not found">The console has no page at this address.</Empty>

/** Pattern of an id; excludes anything that could be taken for a path. */
const idForm = /^(?!\.+$)[\w.~:@-]{1,100}$/

/** Shows "Not found" for an address with a malformed id. */
function WithIds({ children }: { children: ReactNode }) {
  const params: Record<string, string | undefined> = useParams()
  // besides ids, params hold place names and the rest of a nested route
  const named = Object.entries(params).filter(([name]) => /^[a-z]/i.test(name))
  const valid = named.every(([, value]) => value === undefined || idForm.test(value))
  return valid ? children : <NothingHere />
}

/** Contains a render error to its page. */
class Broken extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <Notice
        icon="warning"
        title="This page crashed"
        urgent
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        <p>{this.state.error instanceof Error ? this.state.error.message : 'Unknown error.'}</p>
      </Notice>
    )
  }
}

/** Requests to this machine need no proxy, and another machine could not pass them on. */

const ownNames = ['localhost', '127.0.0.1', '[::1]']

/** Excludes this machine from the proxies of the environment, for this process and for those that it starts. */
export function reachOwnMachineDirectly(): void {
  const { env } = process
  // the lower-case one takes precedence
  const name = env.no_proxy ? 'no_proxy' : 'NO_PROXY'
  env[name] = [env[name], ...ownNames].filter(Boolean).join(',')
}

/** Ports of this machine that are free now. Another program may take one before it is used. */
export function freePorts(count: number): number[] {
  const held = Array.from({ length: count }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } }),
  )
  const ports = held.map(({ port }) => port)
  for (const each of held) each.stop(true)
  return ports
}

export const freePort = (): number => freePorts(1)[0] as number

/** The runner pool that every store has from its first start, and the operator's token for it. */
export const firstPoolId = 'rpl_00000000000000000000000001'
/** The id of the token in `TROUPE_RUNNER_TOKEN`, whose secret is not in the store. */
export const operatorTokenId = 'rtk_00000000000000000000000001'

/** Kinds of changes for which a second person can be required. */
export const approvalKinds = ['terms', 'delist', 'rates'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// podNetwork is the first half of every pod's address. No packet ever goes
// there.
const podNetwork = "10.244"

// addressPool hands out pod addresses.
type addressPool struct {
	taken map[string]bool
	owned map[types.UID]string
	last  uint16
}

func newAddressPool() *addressPool {
	return &addressPool{taken: map[string]bool{}, owned: map[types.UID]string{}}
}

// get returns the address of a pod. A pod that already shows one keeps it.
func (p *addressPool) get(uid types.UID, shown string) string {
	if owned := p.owned[uid]; owned != "" {
		return owned
	}
	address := shown
	for address == "" || (address != shown && p.taken[address]) {
		p.last++
		if low := p.last & 0xff; low == 0 || low == 0xff {
			continue // Network and broadcast addresses look wrong to readers.
		}
		address = fmt.Sprintf("%s.%d.%d", podNetwork, p.last>>8, p.last&0xff)
	}
	p.owned[uid] = address
	p.taken[address] = true
	return address
}

func (p *addressPool) release(uid types.UID) {
	delete(p.taken, p.owned[uid])
	delete(p.owned, uid)
}

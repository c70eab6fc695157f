package load

import "syscall"

// remoteKind returns the name of path's file system if other machines can change it without events
// from this kernel; "" if they cannot. The numbers are those of statfs(2).
func remoteKind(path string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(path, &st) != nil {
		return ""
	}
	switch uint32(st.Type) {
	case 0x6969:
		return "NFS"
	case 0x517B, 0xFF534D42, 0xFE534D42:
		return "SMB"
	case 0x65735546:
		return "FUSE"
	case 0x01021997:
		return "9p"
	case 0x6A656A63:
		return "virtiofs"
	case 0x786F4256:
		return "vboxsf"
	case 0x00C36400:
		return "Ceph"
	case 0x0BD00BD0:
		return "Lustre"
	case 0x5346414F, 0x6B414653:
		return "AFS"
	}
	return ""
}

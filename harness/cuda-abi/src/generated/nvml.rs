//! Written by generate.py from the headers of CUDA 12.9, 13.0, 13.5:
//! nvml.h.

/// An error: a `nvmlReturn_t` other than success.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(pub u32);
impl Error {
    pub const UNINITIALIZED: Self = Self(1);
    pub const INVALID_ARGUMENT: Self = Self(2);
    pub const NOT_SUPPORTED: Self = Self(3);
    pub const NO_PERMISSION: Self = Self(4);
    pub const ALREADY_INITIALIZED: Self = Self(5);
    pub const NOT_FOUND: Self = Self(6);
    pub const INSUFFICIENT_SIZE: Self = Self(7);
    pub const INSUFFICIENT_POWER: Self = Self(8);
    pub const DRIVER_NOT_LOADED: Self = Self(9);
    pub const TIMEOUT: Self = Self(10);
    pub const IRQ_ISSUE: Self = Self(11);
    pub const LIBRARY_NOT_FOUND: Self = Self(12);
    pub const FUNCTION_NOT_FOUND: Self = Self(13);
    pub const CORRUPTED_INFOROM: Self = Self(14);
    pub const GPU_IS_LOST: Self = Self(15);
    pub const RESET_REQUIRED: Self = Self(16);
    pub const OPERATING_SYSTEM: Self = Self(17);
    pub const LIB_RM_VERSION_MISMATCH: Self = Self(18);
    pub const IN_USE: Self = Self(19);
    pub const MEMORY: Self = Self(20);
    pub const NO_DATA: Self = Self(21);
    pub const VGPU_ECC_NOT_SUPPORTED: Self = Self(22);
    pub const INSUFFICIENT_RESOURCES: Self = Self(23);
    pub const FREQ_NOT_SUPPORTED: Self = Self(24);
    pub const ARGUMENT_VERSION_MISMATCH: Self = Self(25);
    pub const DEPRECATED: Self = Self(26);
    pub const NOT_READY: Self = Self(27);
    pub const GPU_NOT_FOUND: Self = Self(28);
    pub const INVALID_STATE: Self = Self(29);
    pub const RESET_TYPE_NOT_SUPPORTED: Self = Self(30);
    pub const UNKNOWN: Self = Self(999);
}

/// The name of each `nvmlReturn_t`, by its code.
pub const ERROR_NAMES: &[(u32, &std::ffi::CStr)] = &[
    (0, c"NVML_SUCCESS"),
    (1, c"NVML_ERROR_UNINITIALIZED"),
    (2, c"NVML_ERROR_INVALID_ARGUMENT"),
    (3, c"NVML_ERROR_NOT_SUPPORTED"),
    (4, c"NVML_ERROR_NO_PERMISSION"),
    (5, c"NVML_ERROR_ALREADY_INITIALIZED"),
    (6, c"NVML_ERROR_NOT_FOUND"),
    (7, c"NVML_ERROR_INSUFFICIENT_SIZE"),
    (8, c"NVML_ERROR_INSUFFICIENT_POWER"),
    (9, c"NVML_ERROR_DRIVER_NOT_LOADED"),
    (10, c"NVML_ERROR_TIMEOUT"),
    (11, c"NVML_ERROR_IRQ_ISSUE"),
    (12, c"NVML_ERROR_LIBRARY_NOT_FOUND"),
    (13, c"NVML_ERROR_FUNCTION_NOT_FOUND"),
    (14, c"NVML_ERROR_CORRUPTED_INFOROM"),
    (15, c"NVML_ERROR_GPU_IS_LOST"),
    (16, c"NVML_ERROR_RESET_REQUIRED"),
    (17, c"NVML_ERROR_OPERATING_SYSTEM"),
    (18, c"NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
    (19, c"NVML_ERROR_IN_USE"),
    (20, c"NVML_ERROR_MEMORY"),
    (21, c"NVML_ERROR_NO_DATA"),
    (22, c"NVML_ERROR_VGPU_ECC_NOT_SUPPORTED"),
    (23, c"NVML_ERROR_INSUFFICIENT_RESOURCES"),
    (24, c"NVML_ERROR_FREQ_NOT_SUPPORTED"),
    (25, c"NVML_ERROR_ARGUMENT_VERSION_MISMATCH"),
    (26, c"NVML_ERROR_DEPRECATED"),
    (27, c"NVML_ERROR_NOT_READY"),
    (28, c"NVML_ERROR_GPU_NOT_FOUND"),
    (29, c"NVML_ERROR_INVALID_STATE"),
    (30, c"NVML_ERROR_RESET_TYPE_NOT_SUPPORTED"),
    (999, c"NVML_ERROR_UNKNOWN"),
];

pub mod constants {}
pub mod types {
    use crate::structure::{layout, views, zeroed};
    use std::ffi::{c_char, c_int, c_uint, c_void};
    /// `nvmlMemory_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Memory {
        pub total: u64,
        pub free: u64,
        pub used: u64,
    }
    zeroed! { Memory }
    /// `nvmlMemory_v2_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Memory2 {
        pub version: c_uint,
        pub total: u64,
        pub reserved: u64,
        pub free: u64,
        pub used: u64,
    }
    zeroed! { Memory2 }
    /// `nvmlPciInfo_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PciInfo {
        pub bus_id_legacy: [c_char; 16],
        pub domain: c_uint,
        pub bus: c_uint,
        pub device: c_uint,
        pub pci_device_id: c_uint,
        pub pci_sub_system_id: c_uint,
        pub bus_id: [c_char; 32],
    }
    zeroed! { PciInfo }
    /// `nvmlPciInfoExt_v1_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PciInfoExt {
        pub version: c_uint,
        pub domain: c_uint,
        pub bus: c_uint,
        pub device: c_uint,
        pub pci_device_id: c_uint,
        pub pci_sub_system_id: c_uint,
        pub base_class: c_uint,
        pub sub_class: c_uint,
        pub bus_id: [c_char; 32],
    }
    zeroed! { PciInfoExt }
    /// `nvmlProcessInfo_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Process {
        pub pid: c_uint,
        pub used_gpu_memory: u64,
        pub gpu_instance_id: c_uint,
        pub compute_instance_id: c_uint,
    }
    zeroed! { Process }
    /// `nvmlProcessInfo_v1_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Process1 {
        pub pid: c_uint,
        pub used_gpu_memory: u64,
    }
    zeroed! { Process1 }
    /// `nvmlUtilization_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Utilization {
        pub gpu: c_uint,
        pub memory: c_uint,
    }
    zeroed! { Utilization }
    layout! { Memory: 24 bytes, 8 aligned;
    total 0, free 8, used 16
    }
    layout! { Memory2: 40 bytes, 8 aligned;
    version 0, total 8, reserved 16, free 24, used 32
    }
    layout! { PciInfo: 68 bytes, 4 aligned;
    bus_id_legacy 0, domain 16, bus 20, device 24, pci_device_id 28, pci_sub_system_id 32, bus_id 36
    }
    layout! { PciInfoExt: 64 bytes, 4 aligned;
    version 0, domain 4, bus 8, device 12, pci_device_id 16, pci_sub_system_id 20, base_class 24,
    sub_class 28, bus_id 32
    }
    layout! { Process: 24 bytes, 8 aligned;
    pid 0, used_gpu_memory 8, gpu_instance_id 16, compute_instance_id 20
    }
    layout! { Process1: 16 bytes, 8 aligned;
    pid 0, used_gpu_memory 8
    }
    layout! { Utilization: 8 bytes, 4 aligned;
    gpu 0, memory 4
    }
}
/// The names of all functions of the headers.
pub const FUNCTIONS: &[&str] = &[
    "nvmlComputeInstanceDestroy",
    "nvmlComputeInstanceGetInfo",
    "nvmlComputeInstanceGetInfo_v2",
    "nvmlDeviceClearAccountingPids",
    "nvmlDeviceClearCpuAffinity",
    "nvmlDeviceClearEccErrorCounts",
    "nvmlDeviceClearFieldValues",
    "nvmlDeviceCreateGpuInstance",
    "nvmlDeviceCreateGpuInstanceWithPlacement",
    "nvmlDeviceDiscoverGpus",
    "nvmlDeviceFreezeNvLinkUtilizationCounter",
    "nvmlDeviceGetAPIRestriction",
    "nvmlDeviceGetAccountingBufferSize",
    "nvmlDeviceGetAccountingMode",
    "nvmlDeviceGetAccountingPids",
    "nvmlDeviceGetAccountingStats",
    "nvmlDeviceGetActiveVgpus",
    "nvmlDeviceGetAdaptiveClockInfoStatus",
    "nvmlDeviceGetAddressingMode",
    "nvmlDeviceGetApplicationsClock",
    "nvmlDeviceGetArchitecture",
    "nvmlDeviceGetAttributes",
    "nvmlDeviceGetAttributes_v2",
    "nvmlDeviceGetAutoBoostedClocksEnabled",
    "nvmlDeviceGetBAR1MemoryInfo",
    "nvmlDeviceGetBoardId",
    "nvmlDeviceGetBoardPartNumber",
    "nvmlDeviceGetBrand",
    "nvmlDeviceGetBridgeChipInfo",
    "nvmlDeviceGetBusType",
    "nvmlDeviceGetC2cModeInfoV",
    "nvmlDeviceGetCapabilities",
    "nvmlDeviceGetClkMonStatus",
    "nvmlDeviceGetClock",
    "nvmlDeviceGetClockInfo",
    "nvmlDeviceGetClockOffsets",
    "nvmlDeviceGetComputeInstanceId",
    "nvmlDeviceGetComputeMode",
    "nvmlDeviceGetComputeRunningProcesses",
    "nvmlDeviceGetComputeRunningProcesses_v2",
    "nvmlDeviceGetComputeRunningProcesses_v3",
    "nvmlDeviceGetConfComputeGpuAttestationReport",
    "nvmlDeviceGetConfComputeGpuCertificate",
    "nvmlDeviceGetConfComputeMemSizeInfo",
    "nvmlDeviceGetConfComputeProtectedMemoryUsage",
    "nvmlDeviceGetCoolerInfo",
    "nvmlDeviceGetCount",
    "nvmlDeviceGetCount_v2",
    "nvmlDeviceGetCpuAffinity",
    "nvmlDeviceGetCpuAffinityWithinScope",
    "nvmlDeviceGetCreatableVgpus",
    "nvmlDeviceGetCudaComputeCapability",
    "nvmlDeviceGetCurrPcieLinkGeneration",
    "nvmlDeviceGetCurrPcieLinkWidth",
    "nvmlDeviceGetCurrentClockFreqs",
    "nvmlDeviceGetCurrentClocksEventReasons",
    "nvmlDeviceGetCurrentClocksThrottleReasons",
    "nvmlDeviceGetDecoderUtilization",
    "nvmlDeviceGetDefaultApplicationsClock",
    "nvmlDeviceGetDefaultEccMode",
    "nvmlDeviceGetDetailedEccErrors",
    "nvmlDeviceGetDeviceHandleFromMigDeviceHandle",
    "nvmlDeviceGetDisplayActive",
    "nvmlDeviceGetDisplayMode",
    "nvmlDeviceGetDramEncryptionMode",
    "nvmlDeviceGetDriverModel",
    "nvmlDeviceGetDriverModel_v2",
    "nvmlDeviceGetDynamicPstatesInfo",
    "nvmlDeviceGetEccMode",
    "nvmlDeviceGetEncoderCapacity",
    "nvmlDeviceGetEncoderSessions",
    "nvmlDeviceGetEncoderStats",
    "nvmlDeviceGetEncoderUtilization",
    "nvmlDeviceGetEnforcedPowerLimit",
    "nvmlDeviceGetFBCSessions",
    "nvmlDeviceGetFBCStats",
    "nvmlDeviceGetFanControlPolicy_v2",
    "nvmlDeviceGetFanSpeed",
    "nvmlDeviceGetFanSpeedRPM",
    "nvmlDeviceGetFanSpeed_v2",
    "nvmlDeviceGetFieldValues",
    "nvmlDeviceGetGpcClkMinMaxVfOffset",
    "nvmlDeviceGetGpcClkVfOffset",
    "nvmlDeviceGetGpuFabricInfo",
    "nvmlDeviceGetGpuFabricInfoV",
    "nvmlDeviceGetGpuInstanceById",
    "nvmlDeviceGetGpuInstanceId",
    "nvmlDeviceGetGpuInstancePossiblePlacements",
    "nvmlDeviceGetGpuInstancePossiblePlacements_v2",
    "nvmlDeviceGetGpuInstanceProfileInfo",
    "nvmlDeviceGetGpuInstanceProfileInfoByIdV",
    "nvmlDeviceGetGpuInstanceProfileInfoV",
    "nvmlDeviceGetGpuInstanceRemainingCapacity",
    "nvmlDeviceGetGpuInstances",
    "nvmlDeviceGetGpuMaxPcieLinkGeneration",
    "nvmlDeviceGetGpuOperationMode",
    "nvmlDeviceGetGraphicsRunningProcesses",
    "nvmlDeviceGetGraphicsRunningProcesses_v2",
    "nvmlDeviceGetGraphicsRunningProcesses_v3",
    "nvmlDeviceGetGridLicensableFeatures",
    "nvmlDeviceGetGridLicensableFeatures_v2",
    "nvmlDeviceGetGridLicensableFeatures_v3",
    "nvmlDeviceGetGridLicensableFeatures_v4",
    "nvmlDeviceGetGspFirmwareMode",
    "nvmlDeviceGetGspFirmwareVersion",
    "nvmlDeviceGetHandleByIndex",
    "nvmlDeviceGetHandleByIndex_v2",
    "nvmlDeviceGetHandleByPciBusId",
    "nvmlDeviceGetHandleByPciBusId_v2",
    "nvmlDeviceGetHandleBySerial",
    "nvmlDeviceGetHandleByUUID",
    "nvmlDeviceGetHandleByUUIDV",
    "nvmlDeviceGetHostVgpuMode",
    "nvmlDeviceGetHostname_v1",
    "nvmlDeviceGetIndex",
    "nvmlDeviceGetInforomConfigurationChecksum",
    "nvmlDeviceGetInforomImageVersion",
    "nvmlDeviceGetInforomVersion",
    "nvmlDeviceGetIrqNum",
    "nvmlDeviceGetJpgUtilization",
    "nvmlDeviceGetLastBBXFlushTime",
    "nvmlDeviceGetMPSComputeRunningProcesses",
    "nvmlDeviceGetMPSComputeRunningProcesses_v2",
    "nvmlDeviceGetMPSComputeRunningProcesses_v3",
    "nvmlDeviceGetMarginTemperature",
    "nvmlDeviceGetMaxClockInfo",
    "nvmlDeviceGetMaxCustomerBoostClock",
    "nvmlDeviceGetMaxMigDeviceCount",
    "nvmlDeviceGetMaxPcieLinkGeneration",
    "nvmlDeviceGetMaxPcieLinkWidth",
    "nvmlDeviceGetMemClkMinMaxVfOffset",
    "nvmlDeviceGetMemClkVfOffset",
    "nvmlDeviceGetMemoryAffinity",
    "nvmlDeviceGetMemoryBusWidth",
    "nvmlDeviceGetMemoryErrorCounter",
    "nvmlDeviceGetMemoryInfo",
    "nvmlDeviceGetMemoryInfo_v2",
    "nvmlDeviceGetMigDeviceHandleByIndex",
    "nvmlDeviceGetMigMode",
    "nvmlDeviceGetMinMaxClockOfPState",
    "nvmlDeviceGetMinMaxFanSpeed",
    "nvmlDeviceGetMinorNumber",
    "nvmlDeviceGetModuleId",
    "nvmlDeviceGetMultiGpuBoard",
    "nvmlDeviceGetName",
    "nvmlDeviceGetNumFans",
    "nvmlDeviceGetNumGpuCores",
    "nvmlDeviceGetNumaNodeId",
    "nvmlDeviceGetNvLinkCapability",
    "nvmlDeviceGetNvLinkErrorCounter",
    "nvmlDeviceGetNvLinkInfo",
    "nvmlDeviceGetNvLinkRemoteDeviceType",
    "nvmlDeviceGetNvLinkRemotePciInfo",
    "nvmlDeviceGetNvLinkRemotePciInfo_v2",
    "nvmlDeviceGetNvLinkState",
    "nvmlDeviceGetNvLinkUtilizationControl",
    "nvmlDeviceGetNvLinkUtilizationCounter",
    "nvmlDeviceGetNvLinkVersion",
    "nvmlDeviceGetNvlinkBwMode",
    "nvmlDeviceGetNvlinkSupportedBwModes",
    "nvmlDeviceGetOfaUtilization",
    "nvmlDeviceGetP2PStatus",
    "nvmlDeviceGetPciInfo",
    "nvmlDeviceGetPciInfoExt",
    "nvmlDeviceGetPciInfo_v2",
    "nvmlDeviceGetPciInfo_v3",
    "nvmlDeviceGetPcieLinkMaxSpeed",
    "nvmlDeviceGetPcieReplayCounter",
    "nvmlDeviceGetPcieSpeed",
    "nvmlDeviceGetPcieThroughput",
    "nvmlDeviceGetPdi",
    "nvmlDeviceGetPerformanceModes",
    "nvmlDeviceGetPerformanceState",
    "nvmlDeviceGetPersistenceMode",
    "nvmlDeviceGetPgpuMetadataString",
    "nvmlDeviceGetPlatformInfo",
    "nvmlDeviceGetPowerManagementDefaultLimit",
    "nvmlDeviceGetPowerManagementLimit",
    "nvmlDeviceGetPowerManagementLimitConstraints",
    "nvmlDeviceGetPowerManagementMode",
    "nvmlDeviceGetPowerMizerMode_v1",
    "nvmlDeviceGetPowerSource",
    "nvmlDeviceGetPowerState",
    "nvmlDeviceGetPowerUsage",
    "nvmlDeviceGetProcessUtilization",
    "nvmlDeviceGetProcessesUtilizationInfo",
    "nvmlDeviceGetRemappedRows",
    "nvmlDeviceGetRepairStatus",
    "nvmlDeviceGetRetiredPages",
    "nvmlDeviceGetRetiredPagesPendingStatus",
    "nvmlDeviceGetRetiredPages_v2",
    "nvmlDeviceGetRowRemapperHistogram",
    "nvmlDeviceGetRunningProcessDetailList",
    "nvmlDeviceGetSamples",
    "nvmlDeviceGetSerial",
    "nvmlDeviceGetSramEccErrorStatus",
    "nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts",
    "nvmlDeviceGetSupportedClocksEventReasons",
    "nvmlDeviceGetSupportedClocksThrottleReasons",
    "nvmlDeviceGetSupportedEventTypes",
    "nvmlDeviceGetSupportedGraphicsClocks",
    "nvmlDeviceGetSupportedMemoryClocks",
    "nvmlDeviceGetSupportedPerformanceStates",
    "nvmlDeviceGetSupportedVgpus",
    "nvmlDeviceGetTargetFanSpeed",
    "nvmlDeviceGetTemperature",
    "nvmlDeviceGetTemperatureThreshold",
    "nvmlDeviceGetTemperatureV",
    "nvmlDeviceGetThermalSettings",
    "nvmlDeviceGetTopologyCommonAncestor",
    "nvmlDeviceGetTopologyNearestGpus",
    "nvmlDeviceGetTotalEccErrors",
    "nvmlDeviceGetTotalEnergyConsumption",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetUtilizationRates",
    "nvmlDeviceGetVbiosVersion",
    "nvmlDeviceGetVgpuCapabilities",
    "nvmlDeviceGetVgpuHeterogeneousMode",
    "nvmlDeviceGetVgpuInstancesUtilizationInfo",
    "nvmlDeviceGetVgpuMetadata",
    "nvmlDeviceGetVgpuProcessUtilization",
    "nvmlDeviceGetVgpuProcessesUtilizationInfo",
    "nvmlDeviceGetVgpuSchedulerCapabilities",
    "nvmlDeviceGetVgpuSchedulerLog",
    "nvmlDeviceGetVgpuSchedulerState",
    "nvmlDeviceGetVgpuTypeCreatablePlacements",
    "nvmlDeviceGetVgpuTypeSupportedPlacements",
    "nvmlDeviceGetVgpuUtilization",
    "nvmlDeviceGetViolationStatus",
    "nvmlDeviceGetVirtualizationMode",
    "nvmlDeviceIsMigDeviceHandle",
    "nvmlDeviceModifyDrainState",
    "nvmlDeviceOnSameBoard",
    "nvmlDevicePowerSmoothingActivatePresetProfile",
    "nvmlDevicePowerSmoothingSetState",
    "nvmlDevicePowerSmoothingUpdatePresetProfileParam",
    "nvmlDeviceQueryDrainState",
    "nvmlDeviceReadWritePRM_v1",
    "nvmlDeviceRegisterEvents",
    "nvmlDeviceRemoveGpu",
    "nvmlDeviceRemoveGpu_v2",
    "nvmlDeviceResetApplicationsClocks",
    "nvmlDeviceResetGpuLockedClocks",
    "nvmlDeviceResetMemoryLockedClocks",
    "nvmlDeviceResetNvLinkErrorCounters",
    "nvmlDeviceResetNvLinkUtilizationCounter",
    "nvmlDeviceSetAPIRestriction",
    "nvmlDeviceSetAccountingMode",
    "nvmlDeviceSetApplicationsClocks",
    "nvmlDeviceSetAutoBoostedClocksEnabled",
    "nvmlDeviceSetClockOffsets",
    "nvmlDeviceSetComputeMode",
    "nvmlDeviceSetConfComputeUnprotectedMemSize",
    "nvmlDeviceSetCpuAffinity",
    "nvmlDeviceSetDefaultAutoBoostedClocksEnabled",
    "nvmlDeviceSetDefaultFanSpeed_v2",
    "nvmlDeviceSetDramEncryptionMode",
    "nvmlDeviceSetDriverModel",
    "nvmlDeviceSetEccMode",
    "nvmlDeviceSetFanControlPolicy",
    "nvmlDeviceSetFanSpeed_v2",
    "nvmlDeviceSetGpcClkVfOffset",
    "nvmlDeviceSetGpuLockedClocks",
    "nvmlDeviceSetGpuOperationMode",
    "nvmlDeviceSetHostname_v1",
    "nvmlDeviceSetMemClkVfOffset",
    "nvmlDeviceSetMemoryLockedClocks",
    "nvmlDeviceSetMigMode",
    "nvmlDeviceSetNvLinkDeviceLowPowerThreshold",
    "nvmlDeviceSetNvLinkUtilizationControl",
    "nvmlDeviceSetNvlinkBwMode",
    "nvmlDeviceSetPersistenceMode",
    "nvmlDeviceSetPowerManagementLimit",
    "nvmlDeviceSetPowerManagementLimit_v2",
    "nvmlDeviceSetPowerMizerMode_v1",
    "nvmlDeviceSetTemperatureThreshold",
    "nvmlDeviceSetVgpuCapabilities",
    "nvmlDeviceSetVgpuHeterogeneousMode",
    "nvmlDeviceSetVgpuSchedulerState",
    "nvmlDeviceSetVirtualizationMode",
    "nvmlDeviceValidateInforom",
    "nvmlDeviceWorkloadPowerProfileClearRequestedProfiles",
    "nvmlDeviceWorkloadPowerProfileGetCurrentProfiles",
    "nvmlDeviceWorkloadPowerProfileGetProfilesInfo",
    "nvmlDeviceWorkloadPowerProfileSetRequestedProfiles",
    "nvmlErrorString",
    "nvmlEventSetCreate",
    "nvmlEventSetFree",
    "nvmlEventSetWait",
    "nvmlEventSetWait_v2",
    "nvmlGetExcludedDeviceCount",
    "nvmlGetExcludedDeviceInfoByIndex",
    "nvmlGetVgpuCompatibility",
    "nvmlGetVgpuDriverCapabilities",
    "nvmlGetVgpuVersion",
    "nvmlGpmMetricsGet",
    "nvmlGpmMigSampleGet",
    "nvmlGpmQueryDeviceSupport",
    "nvmlGpmQueryIfStreamingEnabled",
    "nvmlGpmSampleAlloc",
    "nvmlGpmSampleFree",
    "nvmlGpmSampleGet",
    "nvmlGpmSetStreamingEnabled",
    "nvmlGpuInstanceCreateComputeInstance",
    "nvmlGpuInstanceCreateComputeInstanceWithPlacement",
    "nvmlGpuInstanceDestroy",
    "nvmlGpuInstanceGetActiveVgpus",
    "nvmlGpuInstanceGetComputeInstanceById",
    "nvmlGpuInstanceGetComputeInstancePossiblePlacements",
    "nvmlGpuInstanceGetComputeInstanceProfileInfo",
    "nvmlGpuInstanceGetComputeInstanceProfileInfoV",
    "nvmlGpuInstanceGetComputeInstanceRemainingCapacity",
    "nvmlGpuInstanceGetComputeInstances",
    "nvmlGpuInstanceGetCreatableVgpus",
    "nvmlGpuInstanceGetInfo",
    "nvmlGpuInstanceGetVgpuHeterogeneousMode",
    "nvmlGpuInstanceGetVgpuSchedulerLog",
    "nvmlGpuInstanceGetVgpuSchedulerState",
    "nvmlGpuInstanceGetVgpuTypeCreatablePlacements",
    "nvmlGpuInstanceSetVgpuHeterogeneousMode",
    "nvmlGpuInstanceSetVgpuSchedulerState",
    "nvmlInit",
    "nvmlInitWithFlags",
    "nvmlInit_v2",
    "nvmlSetVgpuVersion",
    "nvmlShutdown",
    "nvmlSystemEventSetCreate",
    "nvmlSystemEventSetFree",
    "nvmlSystemEventSetWait",
    "nvmlSystemGetConfComputeCapabilities",
    "nvmlSystemGetConfComputeGpusReadyState",
    "nvmlSystemGetConfComputeKeyRotationThresholdInfo",
    "nvmlSystemGetConfComputeSettings",
    "nvmlSystemGetConfComputeState",
    "nvmlSystemGetCudaDriverVersion",
    "nvmlSystemGetCudaDriverVersion_v2",
    "nvmlSystemGetDriverBranch",
    "nvmlSystemGetDriverVersion",
    "nvmlSystemGetHicVersion",
    "nvmlSystemGetNVMLVersion",
    "nvmlSystemGetNvlinkBwMode",
    "nvmlSystemGetProcessName",
    "nvmlSystemGetTopologyGpuSet",
    "nvmlSystemRegisterEvents",
    "nvmlSystemSetConfComputeGpusReadyState",
    "nvmlSystemSetConfComputeKeyRotationThresholdInfo",
    "nvmlSystemSetNvlinkBwMode",
    "nvmlUnitGetCount",
    "nvmlUnitGetDevices",
    "nvmlUnitGetFanSpeedInfo",
    "nvmlUnitGetHandleByIndex",
    "nvmlUnitGetLedState",
    "nvmlUnitGetPsuInfo",
    "nvmlUnitGetTemperature",
    "nvmlUnitGetUnitInfo",
    "nvmlUnitSetLedState",
    "nvmlVgpuInstanceClearAccountingPids",
    "nvmlVgpuInstanceGetAccountingMode",
    "nvmlVgpuInstanceGetAccountingPids",
    "nvmlVgpuInstanceGetAccountingStats",
    "nvmlVgpuInstanceGetEccMode",
    "nvmlVgpuInstanceGetEncoderCapacity",
    "nvmlVgpuInstanceGetEncoderSessions",
    "nvmlVgpuInstanceGetEncoderStats",
    "nvmlVgpuInstanceGetFBCSessions",
    "nvmlVgpuInstanceGetFBCStats",
    "nvmlVgpuInstanceGetFbUsage",
    "nvmlVgpuInstanceGetFrameRateLimit",
    "nvmlVgpuInstanceGetGpuInstanceId",
    "nvmlVgpuInstanceGetGpuPciId",
    "nvmlVgpuInstanceGetLicenseInfo",
    "nvmlVgpuInstanceGetLicenseInfo_v2",
    "nvmlVgpuInstanceGetLicenseStatus",
    "nvmlVgpuInstanceGetMdevUUID",
    "nvmlVgpuInstanceGetMetadata",
    "nvmlVgpuInstanceGetPlacementId",
    "nvmlVgpuInstanceGetRuntimeStateSize",
    "nvmlVgpuInstanceGetType",
    "nvmlVgpuInstanceGetUUID",
    "nvmlVgpuInstanceGetVmDriverVersion",
    "nvmlVgpuInstanceGetVmID",
    "nvmlVgpuInstanceSetEncoderCapacity",
    "nvmlVgpuTypeGetBAR1Info",
    "nvmlVgpuTypeGetCapabilities",
    "nvmlVgpuTypeGetClass",
    "nvmlVgpuTypeGetDeviceID",
    "nvmlVgpuTypeGetFbReservation",
    "nvmlVgpuTypeGetFrameRateLimit",
    "nvmlVgpuTypeGetFramebufferSize",
    "nvmlVgpuTypeGetGpuInstanceProfileId",
    "nvmlVgpuTypeGetGspHeapSize",
    "nvmlVgpuTypeGetLicense",
    "nvmlVgpuTypeGetMaxInstances",
    "nvmlVgpuTypeGetMaxInstancesPerGpuInstance",
    "nvmlVgpuTypeGetMaxInstancesPerVm",
    "nvmlVgpuTypeGetName",
    "nvmlVgpuTypeGetNumDisplayHeads",
    "nvmlVgpuTypeGetResolution",
];
